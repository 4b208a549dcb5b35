import { docs, numberValue, stringValue } from './config-values.ts'

/** The keys of `notify`. */
export function notifySection() {
  return {
    onFinish: target().register(docs, {
      description:
        'Where to report the end of `crawl`, `run` or `fetch`: an http or https URL gets a POST request with JSON, anything else is run as a shell command with the JSON on standard input. Default: not reported.',
    }),
    to: target().register(docs, {
      description:
        'Where to report a high error rate and missing progress, in the same way. Default: not reported.',
    }),
    errorRatePercent: numberValue(0.1, 100, 'percent').default(50).register(docs, {
      description: 'Share of failed requests in the last minute that is reported, in percent.',
    }),
    noProgressMinutes: numberValue(0.1, undefined, 'minutes')
      .default(15)
      .register(docs, { description: 'Time without a fetched page that is reported, in minutes.' }),
  }
}

function target() {
  return stringValue(/\S/, 'a command, or an http or https URL').exactOptional()
}
