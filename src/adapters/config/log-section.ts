import { z } from 'zod'
import { LOG_LEVELS_TEXT, LogLevels } from '../../base/log-levels.ts'
import { choiceValue, docs, stringValue } from './config-values.ts'

/** The keys of `log`. */
export function logSection() {
  const error = `expected ${LOG_LEVELS_TEXT}`
  return {
    level: z
      .string({ error })
      .refine((text) => LogLevels.parse(text, 'info') !== undefined, { error })
      .exactOptional()
      .register(docs, {
        description:
          'Least important level that is logged: `error`, `warning`, `notice`, `info`, `debug` or `trace`; also by topic, as in `info,fetch=debug`. Default: `info` in a file and as JSON, `notice` otherwise.',
      }),
    format: choiceValue(['pretty', 'json']).exactOptional().register(docs, {
      description:
        'Lines for people (`pretty`), or one JSON object per line. Default: `json` in a file, `pretty` otherwise.',
    }),
    file: stringValue(/./, 'a file name').exactOptional().register(docs, {
      description:
        'File that log lines are appended to. Standard error keeps warnings and errors. Default: the log goes to standard error.',
    }),
  }
}
