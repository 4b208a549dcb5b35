import { useState } from 'preact/hooks'
import type { ServeAccess } from '../../../src/adapters/serve/responses.ts'
import { controlCall } from './control-call.ts'

interface NewCrawlFormProps {
  readonly access: ServeAccess
  readonly onCreated: () => void
}

/** Name, seeds and the settings that most crawls need. */
export function NewCrawlForm({ access, onCreated }: NewCrawlFormProps) {
  const [problem, setProblem] = useState('')
  return (
    <form
      class="new-crawl"
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        void controlCall(access, '/crawls', newCrawlOf(new FormData(form))).then((reason) => {
          setProblem(reason ?? '')
          if (reason !== undefined) return
          form.reset()
          onCreated()
        })
      }}
    >
      <label>
        Name
        <input name="name" required maxLength={100} autocomplete="off" placeholder="docs" />
      </label>
      <label>
        Seeds, one URL per line
        <textarea name="seeds" required rows={3} placeholder="https://example.org/" />
      </label>
      <label>
        Follow links to
        <select name="scope">
          <option value="host">the hosts of the seeds</option>
          <option value="domain">their domains</option>
          <option value="any">any host</option>
        </select>
      </label>
      <label>
        Delay in seconds
        <input name="delay" type="number" min="0" step="any" defaultValue="1" required />
      </label>
      <button type="submit" class="main-button">
        Create
      </button>
      <p class="warning-text" role="status">
        {problem}
      </p>
    </form>
  )
}

function newCrawlOf(form: FormData): object {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  return {
    name: text('name'),
    seeds: text('seeds')
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    settings: { filters: { scope: text('scope') }, politeness: { delaySeconds: Number(text('delay')) } },
  }
}
