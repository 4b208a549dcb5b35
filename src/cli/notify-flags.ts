import type { Command } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { RunNotifier } from '../wiring/run-notifier.ts'
import type { CommandContext } from './command-context.ts'
import { addOptionGroup } from './help-notes.ts'
import { someNumber } from './option-values.ts'

/** Flags of the commands that send notifications. */
export interface NotifyFlags {
  readonly onFinish?: string
  readonly notify?: string
  readonly notifyErrorRate?: number
  readonly notifyNoProgress?: number
}

export function addNotifyOptions(command: Command): Command {
  return addOptionGroup(command, 'Notifications', (group) =>
    group
      .option(
        '--on-finish <target>',
        'Command to run at the end, or http(s) URL that gets a POST (default: none)',
      )
      .option(
        '--notify <target>',
        'Command or URL for a high error rate and for missing progress (default: none)',
      )
      .option(
        '--notify-error-rate <percent>',
        'With --notify: share of failed requests in a minute (default: 50)',
        someNumber,
      )
      .option(
        '--notify-no-progress <minutes>',
        'With --notify: time without a fetched page (default: 15)',
        someNumber,
      ),
  )
}

/** The settings of the flags. */
export function notifyConfig(flags: NotifyFlags): OrbweaverConfig {
  const { onFinish, notify: to, notifyErrorRate, notifyNoProgress } = flags
  const notify = withoutUndefined({
    ...{ onFinish, to },
    ...{ errorRatePercent: notifyErrorRate, noProgressMinutes: notifyNoProgress },
  })
  return Object.keys(notify).length > 0 ? { notify } : {}
}

/** The notifications of a command, which are complete when it ends. To be given to the run as a watcher. */
export async function commandNotifier(
  name: string,
  flags: NotifyFlags,
  { terminal, atEnd }: Pick<CommandContext, 'terminal' | 'atEnd'>,
): Promise<RunNotifier> {
  const { completeConfig } = await import('../adapters/config/complete-config.ts')
  const { RunNotifier } = await import('../wiring/run-notifier.ts')
  const config = completeConfig(notifyConfig(flags), 'options')
  const notifier = new RunNotifier({ name, settings: config.notify })
  // Until the run has its log, and if it never starts.
  notifier.configured(config, terminal.openLog({}))
  atEnd((outcome) => notifier.finish(outcome))
  return notifier
}
