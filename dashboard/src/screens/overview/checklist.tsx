import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Checklist as List, SignedIn } from '../../api/calls.ts'
import { isAdmin, useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { useMakeExamples, useSendFirst } from './overview.api.ts'
import styles from './overview.module.css'

type StepName = List['items'][number]['step']

const linkOf = (step: StepName, slug: string): string | null => {
  switch (step) {
    case 'see':
    case 'defer':
      return paths.mailbox()
    case 'webhook':
      return paths.webhooks(slug)
    case 'campaign':
      return paths.campaigns(slug)
    case 'key':
      return paths.tokens(slug)
    case 'invite':
      return paths.people(slug)
    default:
      return null
  }
}

/** The first steps; each is ticked by what the workspace shows, never by a press. */
export function Checklist({ list, session, onClose }: Readonly<{ list: List; session: SignedIn; onClose: () => void }>) {
  const { overview: words } = useWords()
  const slug = useSlug()
  const examples = useMakeExamples()
  const first = useSendFirst(session.user.email)
  const error = first.error ?? examples.error
  const actions: Partial<Record<StepName, ReactNode>> = {
    send: (
      <Button size="compact-sm" loading={first.isPending} onClick={() => first.mutate({ ...words.firstMail, noSender: words.noSender })}>
        {words.sendFirst(session.user.email)}
      </Button>
    ),
  }
  return (
    <section className={styles.todo} aria-label={words.checklist}>
      <Group justify="space-between">
        <h2>{words.checklist}</h2>
        <Button variant="default" size="compact-sm" onClick={onClose}>
          {words.closeList}
        </Button>
      </Group>
      <ol className={styles.steps}>
        {list.items.map(({ step, done }) => {
          const link = linkOf(step, slug)
          return (
            <li key={step} className={styles.line}>
              <span aria-hidden="true">{done ? '✓' : '○'}</span>
              <span>{done ? words.done : words.open}</span>
              <span>{link === null ? words.steps[step] : <Link to={link}>{words.steps[step]}</Link>}</span>
              {!done && actions[step]}
            </li>
          )
        })}
      </ol>
      {error && <Problem error={error} />}
      <Group gap="sm">
        <Button variant="default" loading={examples.isPending} disabled={!isAdmin(session)} onClick={() => examples.mutate()}>
          {words.examples}
        </Button>
        <span>{examples.isSuccess ? words.examplesMade : isAdmin(session) ? words.examplesHelp : words.examplesForAdmins}</span>
      </Group>
    </section>
  )
}
