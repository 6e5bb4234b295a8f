import { Textarea, TextInput } from '@mantine/core'
import { CodeEditor } from '../../ui/code-editor.tsx'
import type { MergeWord } from '../../ui/code-mirror.ts'
import { useWords } from '../../words/words.tsx'
import type { Channel, Draft } from './draft.ts'
import styles from './template.module.css'

type Props = Readonly<{ channel: Channel; draft: Draft; words: readonly MergeWord[]; onChange: (draft: Draft) => void }>

/** The texts that the channel has. */
export function TextsForm({ channel, draft, words: mergeWords, onChange }: Props) {
  const { template: words } = useWords()
  const line = (name: keyof Draft, label: string, maxLength: number) => (
    <TextInput
      label={label}
      dir="auto"
      maxLength={maxLength}
      value={draft[name]}
      onChange={(event) => onChange({ ...draft, [name]: event.currentTarget.value })}
    />
  )
  const block = (name: keyof Draft, label: string, rows: number) => (
    <Textarea
      label={label}
      dir="auto"
      rows={rows}
      value={draft[name]}
      onChange={(event) => onChange({ ...draft, [name]: event.currentTarget.value })}
    />
  )
  return (
    <div className={styles.form}>
      {channel === 'email' && (
        <>
          {line('subject', words.subject, 500)}
          <CodeEditor label={words.html} value={draft.html} words={mergeWords} onChange={(html) => onChange({ ...draft, html })} />
          {block('text', words.text, 4)}
        </>
      )}
      {channel === 'sms' && block('body', words.body, 6)}
      {channel === 'push' && (
        <>
          {line('pushTitle', words.pushTitle, 255)}
          {block('pushBody', words.pushBody, 4)}
          {line('pushUrl', words.pushUrl, 2_048)}
          {line('pushIcon', words.pushIcon, 2_048)}
        </>
      )}
      {line('fromName', words.fromName, 255)}
      <details>
        <summary>{words.tags}</summary>
        <ul className={styles.tags}>
          {mergeWords.map(({ key, from }) => (
            <li key={key}>
              <code dir="ltr">{`{{${key}}}`}</code> <span>{from}</span>
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}
