"""What Scrapy with scrapy-redis does to Redis, with the same commands. scrapy-redis itself is in no package of Debian.

python_side.py <port> <command> <JSON object of arguments>; what it finds is one JSON document on standard output.
"""

import hashlib
import json
import pickle
import sys
import warnings

import redis
import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from scrapy.utils.request import fingerprint, request_fingerprint, request_from_dict
from scrapy.utils.serialize import ScrapyJSONEncoder
from w3lib.url import canonicalize_url

# Scrapy says that its old fingerprints are old.
warnings.simplefilter("ignore")

PORT = int(sys.argv[1])
SERVER = redis.Redis("127.0.0.1", PORT)


def fingerprint_a(request):
    return request_fingerprint(request)


def fingerprint_b(request):
    data = {"method": request.method, "url": canonicalize_url(request.url), "body": (request.body or b"").hex()}
    return hashlib.sha1(json.dumps(data, sort_keys=True).encode()).hexdigest()


def fingerprint_c(request):
    return fingerprint(request).hex()


FINGERPRINTS = {"a": fingerprint_a, "b": fingerprint_b, "c": fingerprint_c}


class RedisScheduler:
    """Its queue is a sorted set or a list, its filter a set; both outlive it."""

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler.settings)

    def __init__(self, settings):
        self.kind = settings["QUEUE_KIND"]
        self.fingerprint = FINGERPRINTS[settings["FAMILY"]]

    def open(self, spider):
        self.spider = spider
        self.queue = f"{spider.name}:requests"
        self.filter = f"{spider.name}:dupefilter"

    def close(self, reason):
        pass

    def has_pending_requests(self):
        return SERVER.exists(self.queue) == 1

    def enqueue_request(self, request):
        if not request.dont_filter and SERVER.sadd(self.filter, self.fingerprint(request)) == 0:
            return False
        data = pickle.dumps(request.to_dict(spider=self.spider), protocol=-1)
        if self.kind == "zset":
            SERVER.execute_command("ZADD", self.queue, -request.priority, data)
        else:
            SERVER.lpush(self.queue, data)
        return True

    def next_request(self):
        if self.kind == "zset":
            pipe = SERVER.pipeline()
            pipe.multi()
            pipe.zrange(self.queue, 0, 0).zremrangebyrank(self.queue, 0, 0)
            results, _ = pipe.execute()
            data = results[0] if results else None
        else:
            data = SERVER.rpop(self.queue)
        return request_from_dict(pickle.loads(data), spider=self.spider) if data else None


class RedisPipeline:
    def process_item(self, item, spider):
        SERVER.rpush(f"{spider.name}:items", ScrapyJSONEncoder().encode(item))
        return item


class WebSpider(scrapy.Spider):
    def start_requests(self):
        for url in self.start_urls:
            yield scrapy.Request(url)

    def parse(self, response):
        yield {"url": response.url, "title": response.css("title::text").get(), "by": "Scrapy"}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(
                href,
                callback=self.parse_page,
                headers={"X-From": "Scrapy"},
                cookies={"session": "é1"},
                meta={"seen": ("on", response.url)},
                priority=1 if href.endswith("0") else 0,
            )

    def parse_page(self, response):
        yield from self.parse(response)


def crawl(name, start, pages, family, kind):
    """Crawls with real Scrapy, and ends after some pages with the others still in the queue."""
    settings = {
        "SCHEDULER": RedisScheduler,
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        "ITEM_PIPELINES": {RedisPipeline: 400},
        "CLOSESPIDER_PAGECOUNT": pages,
        "CONCURRENT_REQUESTS": 1,
        "QUEUE_KIND": kind,
        "FAMILY": family,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
    }
    process = CrawlerProcess(settings)
    process.crawl(WebSpider, name=name, start_urls=[start])
    process.start()
    return {"scrapy": scrapy.__version__}


def fingerprints(requests):
    return [
        {family: of(scrapy.Request(url, method=method, body=body)) for family, of in FINGERPRINTS.items()}
        for url, method, body in requests
    ]


def push_starts(key, kind, messages):
    for score, message in enumerate(messages):
        if kind == "set":
            SERVER.sadd(key, message)
        elif kind == "zset":
            SERVER.zadd(key, {message: score})
        elif kind == "list-left":
            SERVER.lpush(key, message)
        else:
            SERVER.rpush(key, message)


def take_items(key, count):
    return [json.loads(SERVER.blpop([key], timeout=20)[1]) for _ in range(count)]


def queue_something_else(key):
    """A request whose meta is more than data."""
    import datetime

    request = scrapy.Request("http://127.0.0.1/", meta={"at": datetime.datetime(2026, 1, 1)})
    SERVER.execute_command("ZADD", key, 0, pickle.dumps(request.to_dict(), protocol=-1))


def json_data(value):
    """What a JSON serializer makes of a request: it has no bytes."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {json_data(key): json_data(part) for key, part in value.items()}
    return [json_data(part) for part in value] if isinstance(value, (list, tuple)) else value


class RuleSpider(CrawlSpider):
    name = "rules"
    rules = (
        Rule(LinkExtractor(allow="/1$"), callback="parse_page"),
        Rule(LinkExtractor(allow="/2$")),
    )

    def parse_page(self, response):
        pass


def queue_json_of_rules(key, url):
    """The links of a page as a CrawlSpider follows them, with a JSON serializer."""
    spider = RuleSpider()
    spider._follow_links = True
    html = "".join(f'<a href="/{n}">page {n}</a>' for n in (1, 2))
    response = HtmlResponse(url, body=html.encode(), request=scrapy.Request(url))
    for request in spider._requests_to_follow(response):
        request.headers["X-From"] = "Scrapy"
        data = json.dumps(json_data(request.to_dict(spider=spider)))
        SERVER.execute_command("ZADD", key, 0, data)


COMMANDS = {
    f.__name__: f
    for f in (crawl, fingerprints, push_starts, take_items, queue_something_else, queue_json_of_rules)
}

if __name__ == "__main__":
    found = COMMANDS[sys.argv[2]](**json.loads(sys.argv[3]))
    print(json.dumps(found))
