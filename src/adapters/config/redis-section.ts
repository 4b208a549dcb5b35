import { booleanValue, choiceValue, docs, integerValue, numberValue, stringValue } from './config-values.ts'

/** The keys of the section `redis`. */
export function redisSection() {
  return {
    url: line('an address like redis://host:6379/0, or host:6379').exactOptional().register(docs, {
      description:
        'Address of the server: `redis://host:6379/0` or `host:6379`; `rediss:` for TLS; `redis+cluster://host:6379,host:6379`; `redis+sentinel://host:26379,host:26379/master/0`. `--redis <url>` overrides it. It does not turn on `--redis`: `run` without that flag warns and crawls alone.',
    }),
    user: line('a user name')
      .exactOptional()
      .register(docs, { description: 'User name. One in the URL overrides it.' }),
    password: line('a password').exactOptional().register(docs, {
      description: 'Password. One in the URL overrides it. Prefer `ORBWEAVER_REDIS_PASSWORD`.',
    }),
    sentinelUser: line('a user name')
      .exactOptional()
      .register(docs, { description: 'User name for the sentinels.' }),
    sentinelPassword: line('a password')
      .exactOptional()
      .register(docs, { description: 'Password for the sentinels.' }),
    caFile: line('a file name').exactOptional().register(docs, {
      description:
        'TLS: file with the CA certificates (PEM) to trust instead of those of the system. Relative file names start at the folder of the configuration file.',
    }),
    certFile: line('a file name').exactOptional().register(docs, {
      description: 'TLS: file with the client certificate (PEM), if the server requires one.',
    }),
    keyFile: line('a file name')
      .exactOptional()
      .register(docs, { description: 'TLS: file with the key of the client certificate (PEM).' }),
    allowEviction: booleanValue().default(false).register(docs, {
      description:
        'Accept a server whose `maxmemory-policy` is not `noeviction`. Such a server deletes parts of the crawl when its memory is full.',
    }),
    job: stringValue(/^[^\s{}\p{Cc}]+$/u, 'a name without spaces and braces')
      .exactOptional()
      .register(docs, {
        description: 'Name of the crawl, which is the prefix of its keys. Default: the name of the spider.',
      }),
    shards: integerValue(1, 1024).exactOptional().register(docs, {
      description:
        'Number of shards of the crawl: its hosts are divided among them, and a Redis Cluster spreads them over its nodes. Fixed when the crawl is created, and stored with it. Default: what the crawl has; 1 for a new one.',
    }),
    persist: booleanValue().default(true).register(docs, {
      description:
        '`false`: the last worker of a finished crawl deletes its queue, dupefilter and dead letters, so that the next run starts from the beginning. Items are kept.',
    }),
    flushOnStart: booleanValue().default(false).register(docs, {
      description:
        'The first worker deletes the data of an earlier crawl, as `orbweaver clear` does. Nothing is deleted while other workers are active.',
    }),
    idleSeconds: numberValue(0, undefined, 'seconds').default(0).register(docs, {
      description:
        'Seconds that workers wait for new requests when the queue is empty, before they exit. `--wait`: no limit.',
    }),
    leaseSeconds: numberValue(3, undefined, 'seconds').default(30).register(docs, {
      description:
        'Lease time in seconds. A worker that has not renewed its lease for this long is considered lost, and its requests and hosts go to other workers. Leases are renewed six times in this time.',
    }),
    startKey: key('%(name)s:start_urls').register(docs, {
      description:
        'Key of the start messages; `%(name)s` is replaced by the name of the crawl. Default in a cluster: `{%(name)s}:start_urls`.',
    }),
    itemsKey: key('%(name)s:items').register(docs, {
      description: 'Key of the list of items; `%(name)s` as in `startKey`.',
    }),
    startReading: choiceValue(['rich', 'strict']).default('rich').register(docs, {
      description:
        'Meaning of the members of a start message. `rich`: headers, body, priority, handler and more. `strict`: as in scrapy-redis, which sends unknown members as form fields.',
    }),
    startBatch: integerValue(1, 500)
      .default(100)
      .register(docs, { description: 'Start messages read at a time.' }),
    startEncoding: line('the name of an encoding, like gbk').default('utf-8').register(docs, {
      description: 'Encoding of start messages, by its label on the web: `utf-8`, `gbk`, `windows-1252`.',
    }),
    dupefilter: choiceValue(['own', 'scrapy-a', 'scrapy-b', 'scrapy-c']).default('own').register(docs, {
      description:
        'Format of the dupefilter. `own`: about nine bytes per URL. The others are the set of scrapy-redis, shared with Python workers, with the fingerprints of scrapy-redis before 0.8 (`scrapy-a`), since 0.8 (`scrapy-b`), or of Scrapy itself (`scrapy-c`).',
    }),
    dupefilterKey: key('%(name)s:dupefilter').register(docs, { description: 'Key of the scrapy-redis set.' }),
    seenWith: stringValue(/^[^\s{}\p{Cc}]+$/u, 'a name without spaces and braces')
      .exactOptional()
      .register(docs, {
        description:
          'Name of another crawl to share the dupefilter with: a URL requested by one is not requested by the other. Not available with a Scrapy dupefilter or in a cluster.',
      }),
    seenSeconds: numberValue(1, undefined, 'seconds').exactOptional().register(docs, {
      description:
        'Minimum time in seconds that a URL stays in the dupefilter; at most twice as long. Default: no limit.',
    }),
  }
}

function line(expected: string) {
  return stringValue(/^[^\p{Cc}]+$/u, expected)
}

/** Described without a default: the default in a cluster differs. */
function key(example: string) {
  return line(`the name of a key, like ${example}`).exactOptional()
}
