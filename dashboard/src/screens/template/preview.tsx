import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { CheckedTemplate } from '../../api/calls.ts'
import { ChoosePerson } from '../../ui/choose-person.tsx'
import { Facts } from '../../ui/facts.tsx'
import { PostedFrame } from '../../ui/posted-frame.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import type { Channel, Draft } from './draft.ts'
import styles from './template.module.css'

type Props = Readonly<{
  channel: Channel
  /** As it was when one last stopped typing. */
  draft: Draft
  checked: CheckedTemplate | undefined
  error: Error | null
  onRetry: () => void
  contactId: string | null
  onPerson: (id: string | null) => void
}>

/** What a person would get of the texts as they are now, by the code that sends. */
export function Preview({ channel, draft, checked, error, onRetry, contactId, onPerson }: Props) {
  const { template: words, locale } = useWords()
  const [look, setLook] = useState({ narrow: false, dark: false, images: false })
  const toggle = (name: keyof typeof look, label: string) => (
    <Button variant="default" size="compact-sm" aria-pressed={look[name]} onClick={() => setLook({ ...look, [name]: !look[name] })}>
      {label}
    </Button>
  )
  const rendered = checked?.rendered ?? null
  const fields = { html: draft.html, ...(contactId !== null && { contactId }), ...(look.images && { images: 'https' }) }
  return (
    <section className={styles.preview} aria-label={words.preview}>
      <ChoosePerson label={words.asPerson} none={words.withoutPerson} value={contactId} onChange={onPerson} />
      {error && <Problem error={error} onRetry={onRetry} />}
      <div role="status">
        {checked && checked.mistake !== null && (
          <Alert variant="default" title={words.mistake}>
            <span lang="en" dir="ltr">
              ▲ {checked.mistake}
            </span>
          </Alert>
        )}
      </div>
      {rendered && <Facts items={factsOf(rendered, words, locale)} />}
      {channel === 'email' && rendered && (
        <>
          <Group gap="xs">
            {toggle('narrow', words.phone)}
            {toggle('dark', words.dark)}
            {toggle('images', words.images)}
          </Group>
          <PostedFrame
            title={words.asItLooks}
            action="/dashboard/templates/preview"
            fields={fields}
            narrow={look.narrow}
            dark={look.dark}
          />
        </>
      )}
    </section>
  )
}

type Rendered = NonNullable<CheckedTemplate['rendered']>

const factsOf = (
  { subject, fromName, text, body, push, segments, credits }: Rendered,
  words: Words['template'],
  locale: string,
): readonly (readonly [string, string])[] =>
  [
    [words.subject, subject] as const,
    [words.fromName, fromName] as const,
    [words.text, text] as const,
    [words.body, body] as const,
    [words.segments, segments?.toLocaleString(locale) ?? null] as const,
    [words.credits, credits?.toLocaleString(locale) ?? null] as const,
    [words.pushTitle, push?.title ?? null] as const,
    [words.pushBody, push?.body ?? null] as const,
    [words.pushUrl, push?.url ?? null] as const,
  ].flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
