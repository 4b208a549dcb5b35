import { choice, flag, number, text, wholeNumber } from './config-values.ts'

/** The keys of the section `redis`. */
export function redisKeys() {
  return {
    url: line('an address like redis://host:6379/0, or host:6379')
      .exactOptional()
      .describe(
        'Where it is: `redis://host:6379/0`, or `host:6379`; `rediss:` over TLS; `redis+cluster://host:6379,host:6379`; `redis+sentinel://host:26379,host:26379/master/0`. `--redis <url>` is stronger. It is an address only: `run` uses it with `--redis`, and warns without.',
      ),
    user: line('the name of a user').exactOptional().describe('Used unless the URL has one.'),
    password: line('a password')
      .exactOptional()
      .describe('Used unless the URL has one; best left to the environment.'),
    sentinelUser: line('the name of a user')
      .exactOptional()
      .describe('For the sentinels, which have their own.'),
    sentinelPassword: line('a password').exactOptional().describe('For the sentinels.'),
    caFile: line('a file name')
      .exactOptional()
      .describe(
        'With TLS: the certificates (PEM) to trust in place of those that the system does. File names go from the folder of the configuration.',
      ),
    certFile: line('a file name')
      .exactOptional()
      .describe('With TLS: the certificate to show, for a Redis that asks for one.'),
    keyFile: line('a file name').exactOptional().describe('With TLS: the key of that certificate.'),
    allowEviction: flag()
      .default(false)
      .describe(
        'Go on although `maxmemory-policy` is not `noeviction`: when its memory is full, Redis would throw away parts of the crawl.',
      ),
    job: text(/^[^\s{}\p{Cc}]+$/u, 'a name without spaces and braces')
      .exactOptional()
      .describe(
        'The name of the crawl, which its keys begin with (also `run --job`). Without it, the name of the spider.',
      ),
    persist: flag()
      .default(true)
      .describe(
        '`false`: the last worker to leave a crawl that is finished removes its queue, its seen set and what failed, so that the next run begins anew. Items stay.',
      ),
    flushOnStart: flag()
      .default(false)
      .describe(
        'The first worker removes what an earlier crawl left, as `orbweaver clear` does; nobody does while others work on it.',
      ),
    idleSeconds: number(0, undefined, 'seconds')
      .default(0)
      .describe(
        'How long the fleet waits for more when everything is done, before it ends; `--wait`: for ever.',
      ),
    leaseSeconds: number(3, undefined, 'seconds')
      .default(30)
      .describe(
        'A worker that is not heard of for so long is lost, and its requests and hosts go to the others. It says that it lives six times as often.',
      ),
    startKey: key('%(name)s:start_urls').describe(
      'The key of the start messages; `%(name)s` stands for the crawl. In a cluster, by default `{%(name)s}:start_urls`.',
    ),
    itemsKey: key('%(name)s:items').describe('The list that items go to, in the same way.'),
    startReading: choice(['rich', 'strict'])
      .default('rich')
      .describe(
        'What the members of a start message mean. `rich`: headers, body, priority, handler and so on. `strict`: as scrapy-redis has it, where those it does not know are fields of a form.',
      ),
    startBatch: wholeNumber(1, 500).default(100).describe('Start messages taken at once.'),
    startEncoding: line('the name of an encoding, like gbk')
      .default('utf-8')
      .describe('Of start messages, by a name that web pages use for it: `utf-8`, `gbk`, `windows-1252`.'),
    dupefilter: choice(['own', 'scrapy-a', 'scrapy-b', 'scrapy-c'])
      .default('own')
      .describe(
        "What remembers the URLs that were asked for. `own`: some nine bytes for each. The others: scrapy-redis's set, shared with Python's workers, with the fingerprints of scrapy-redis before 0.8 (`a`), since (`b`), or of Scrapy itself (`c`).",
      ),
    dupefilterKey: key('%(name)s:dupefilter').describe('The key of that set.'),
    seenWith: text(/^[^\s{}\p{Cc}]+$/u, 'a name without spaces and braces')
      .exactOptional()
      .describe(
        'The name of another crawl: what either has asked for, the other does not. Not with a dupefilter of Scrapy, nor in a cluster.',
      ),
    seenSeconds: number(1, undefined, 'seconds')
      .exactOptional()
      .describe(
        'How long a URL counts as seen: at least this, and at most twice as long. Without it, for ever.',
      ),
  }
}

function line(wanted: string) {
  return text(/^[^\p{Cc}]+$/u, wanted)
}

/** Its default is told, not set: in a cluster it is another. */
function key(example: string) {
  return line(`the name of a key, like ${example}`).exactOptional()
}
