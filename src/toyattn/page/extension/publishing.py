"""What a published site needs beside its pages: its address in their heads, a page for addresses that lead nowhere, a site map."""

import os
import re
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from xml.sax.saxutils import escape

from . import address
from .gathered import in_reading_order

NOT_FOUND = "404"
_RELATIVE_URL = re.compile(r'<meta property="og:url" content="(?!https?:)[^"]*" />\n?')


def setup(app):
    """Find the address, then use it."""
    app.add_config_value("toyattn_site", "", "env")  # a page may say it, so pages are read anew when it changes
    app.connect("config-inited", configure)
    app.connect("html-collect-pages", lambda app: [(NOT_FOUND, dict.fromkeys(["title", "pagetitle"], "No such page"), "404.html")])
    app.connect("html-page-context", finish_head, priority=900)
    app.connect("build-finished", write_maps)


def configure(app, config):
    """Tell the theme and Sphinx about repository and site."""
    repository = address.find_repository(app.srcdir, os.environ)
    options = config.html_theme_options
    options.update(address.theme_options(repository, options.get("launch_buttons", {})))
    config.toyattn_site = config.html_baseurl = config.ogp_site_url = address.find_site(repository, os.environ)


def finish_head(app, pagename, templatename, context, doctree):
    """No address that was made up; on the page for lost readers, which stands at any depth, links from the site's root."""
    metatags = _RELATIVE_URL.sub("", context.get("metatags", ""))
    if pagename == NOT_FOUND:
        context["pageurl"] = None
        if site := app.config.toyattn_site:
            metatags = f'<base href="{escape(urlsplit(site).path)}{NOT_FOUND}.html" />{metatags}'
    context["metatags"] = metatags


def write_maps(app, exception):
    """``sitemap.xml``; and ``robots.txt`` where the site is the root of its host, for elsewhere nobody reads it."""
    if exception or app.builder.format != "html":
        return
    site, maps = app.config.toyattn_site, {"sitemap.xml": "", "robots.txt": ""}
    if site:
        pages = (urljoin(site, app.builder.get_target_uri(page)) for page in in_reading_order(app.env))
        entries = "".join(f"<url><loc>{escape(page)}</loc></url>\n" for page in pages)
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        maps["sitemap.xml"] = f"{head}{entries}</urlset>\n"
    if urlsplit(site).path == "/":
        maps["robots.txt"] = f"User-agent: *\nAllow: /\nSitemap: {site}sitemap.xml\n"
    for name, text in maps.items():
        path = Path(app.outdir, name)
        path.write_text(text, encoding="utf-8") if text else path.unlink(missing_ok=True)
