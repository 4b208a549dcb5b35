import { EVENT_LEVELS, EVENT_TOPICS, type EventLevel, type EventTopic } from './event-log.ts'

/** The least important level that is logged, by topic. */
export class LogLevels {
  /** By position of the topic. */
  readonly #ranks: readonly number[]

  private constructor(ranks: readonly number[]) {
    this.#ranks = ranks
  }

  /**
   * Reads levels such as `info` or `info,fetch=debug,robots=error`. A topic without a level has the general one.
   * @param general the level of other topics, if the text has none
   * @returns `undefined` if the text is invalid
   */
  static parse(text: string, general: EventLevel): LogLevels | undefined {
    let common = RANKS[general]
    const own = new Map<EventTopic, number>()
    for (const part of text.toLowerCase().split(',')) {
      const [, topicName, levelName] = /^\s*(?:([a-z]+)\s*=\s*)?([a-z]+)\s*$/.exec(part) ?? []
      // `warn` is the name in many other programs.
      const level = EVENT_LEVELS.find((known) => known === (levelName === 'warn' ? 'warning' : levelName))
      const topic = EVENT_TOPICS.find((known) => known === topicName)
      if (level === undefined || (topicName !== undefined && topic === undefined)) return undefined
      if (topic === undefined) common = RANKS[level]
      else own.set(topic, RANKS[level])
    }
    return new LogLevels(EVENT_TOPICS.map((topic) => own.get(topic) ?? common))
  }

  isOn(topic: EventTopic, level: EventLevel): boolean {
    return RANKS[level] >= (this.#ranks[TOPIC_POSITIONS[topic]] ?? 0)
  }
}

/** For the message about an invalid text. */
export const LOG_LEVELS_TEXT = `one of the levels ${EVENT_LEVELS.join(', ')}, or topic=level for one of the topics ${EVENT_TOPICS.join(', ')}, separated by commas, like info,fetch=debug`

const RANKS = positions(EVENT_LEVELS)
const TOPIC_POSITIONS = positions(EVENT_TOPICS)

function positions<Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, i) => [name, i])) as Record<Name, number>
}
