import { Alert, Button, FileButton, Group, Progress, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { FileDifference } from '../../api/calls.ts'
import { Code } from '../../ui/code.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { useWords } from '../../words/words.tsx'
import { FILE_DOWNLOAD, useFileWork, usePresentFile } from './file.api.ts'
import styles from './settings-file.module.css'

/** The workspace as a file, and what a file would change. */
export function Component() {
  const { file: words } = useWords()
  return (
    <Page title={words.title}>
      <Present />
      <Given />
    </Page>
  )
}

function Present() {
  const { file: words } = useWords()
  const { data, error, refetch } = usePresentFile()
  return (
    <Section title={words.present}>
      <p>{words.presentHelp}</p>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <div>
            <Button component="a" variant="default" href={FILE_DOWNLOAD} download>
              {words.download}
            </Button>
          </div>
          <div className={styles.present}>
            <Code text={data.text} label={words.presentText} />
          </div>
        </>
      )}
    </Section>
  )
}

function Given() {
  const { file: words } = useWords()
  const [text, setText] = useState('')
  const [mistake, setMistake] = useState<keyof typeof words.mistakes | null>(null)
  const { work, ask, apply, forget } = useFileWork()
  const take = (next: string): void => {
    setText(next)
    setMistake(null)
    forget()
  }
  const choose = async (chosen: File | null): Promise<void> => {
    if (chosen === null) return
    const read = await readChosen(chosen)
    if (typeof read === 'string') take(read)
    else setMistake(read.mistake)
  }
  return (
    <Section title={words.given}>
      <p>{words.givenHelp}</p>
      <Textarea
        label={words.text}
        description={words.textHelp}
        dir="ltr"
        rows={12}
        maxLength={MOST_CHARACTERS}
        spellCheck={false}
        disabled={work.isPending}
        value={text}
        classNames={{ input: styles.text ?? '' }}
        onChange={(event) => take(event.currentTarget.value)}
      />
      {mistake && <p role="alert">{words.mistakes[mistake]}</p>}
      <Group>
        <FileButton onChange={(chosen) => void choose(chosen)} accept=".yaml,.yml,.json" inputProps={{ 'aria-label': words.choose }}>
          {(props) => (
            <Button variant="default" disabled={work.isPending} {...props}>
              {words.choose}
            </Button>
          )}
        </FileButton>
        <Button disabled={text.trim() === ''} loading={work.isPending} onClick={() => void ask(text)}>
          {words.ask}
        </Button>
      </Group>
      {work.error && <Problem error={work.error} />}
      {work.isChanged && <Alert variant="default" role="alert" title={words.changed} />}
      {work.difference && (
        <Difference
          difference={work.difference}
          {...{ done: work.done, isPending: work.isPending, isApplied: work.isApplied }}
          onApply={(difference) => void apply(text, difference)}
        />
      )}
    </Section>
  )
}

type DifferenceProps = Readonly<{
  difference: FileDifference
  done: number
  isPending: boolean
  isApplied: boolean
  onApply: (difference: FileDifference) => void
}>

function Difference({ difference, done, isPending, isApplied, onApply }: DifferenceProps) {
  const { file: words } = useWords()
  const { changes, commands } = difference
  if (commands === 0) return <p role="status">{words.nothing}</p>
  return (
    <section aria-label={words.difference}>
      <h3>{words.changes(changes.length)}</h3>
      <ul className={styles.changes} lang="en" dir="ltr">
        {changes.map((change, index) => (
          <li key={index}>
            <bdi>{change}</bdi>
          </li>
        ))}
      </ul>
      {isPending && <Progress value={(done / commands) * 100} aria-label={words.progressLabel} />}
      {isPending && <p role="status">{words.progress(done, commands)}</p>}
      {isApplied ? (
        <p role="status">{words.applied}</p>
      ) : (
        <Button loading={isPending} onClick={() => onApply(difference)}>
          {words.apply}
        </Button>
      )}
    </section>
  )
}

/** UTF-8 takes at most four bytes a character. */
const MOST_BYTES = 4_000_000
/** The service takes no longer file. */
const MOST_CHARACTERS = 1_000_000

type Chosen = Pick<Blob, 'size' | 'arrayBuffer'>

/** The text of a file that somebody chose, or why it is none. A letter that is not UTF-8 would be another one afterwards. */
async function readChosen(chosen: Chosen): Promise<string | Readonly<{ mistake: 'tooLarge' | 'notText' | 'notRead' }>> {
  if (chosen.size > MOST_BYTES) return { mistake: 'tooLarge' }
  const bytes = await chosen.arrayBuffer().catch(() => null)
  if (bytes === null) return { mistake: 'notRead' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.length > MOST_CHARACTERS ? { mistake: 'tooLarge' } : text
  } catch {
    return { mistake: 'notText' }
  }
}
