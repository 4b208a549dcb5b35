"""Scrapy with its LinkExtractor, robots.txt obeyed, set up as its documentation advises for broad crawls.
python3 scrapy_spider.py <start URL> <in flight> <per host> <scope> [<maximum number of pages>]"""

import json
import sys
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

START, IN_FLIGHT, PER_HOST, SCOPE = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
# 0: no limit.
MAX_PAGES = int(sys.argv[5]) if len(sys.argv) > 5 else 0
pages = set()


class LinksSpider(Spider):
    name = "links"
    start_urls = [START]
    links = LinkExtractor(allow_domains=urlsplit(START).netloc if SCOPE == "host" else ())

    def parse(self, response):
        pages.add(response.url)
        if not isinstance(response, HtmlResponse):
            return
        for link in self.links.extract_links(response):
            yield Request(link.url, callback=self.parse)


process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS": IN_FLIGHT,
        "CONCURRENT_REQUESTS_PER_DOMAIN": PER_HOST,
        "DOWNLOAD_DELAY": 0,
        "CLOSESPIDER_PAGECOUNT": MAX_PAGES,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "ROBOTSTXT_OBEY": True,
        "RETRY_ENABLED": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "REACTOR_THREADPOOL_MAXSIZE": 20,
    }
)
process.crawl(LinksSpider)
process.start()
print(json.dumps({"pages": len(pages)}))
