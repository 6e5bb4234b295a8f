import { Button, Group, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { EditedTemplate } from '../../api/calls.ts'
import { sessionQuery, useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useSenders, useSendTest } from './template.api.ts'
import styles from './template.module.css'

/** Sends the mail as it is saved to the address of the session. A double click sends one; after an answer the next press is another. */
export function SendTest({ template, isSaved }: Readonly<{ template: EditedTemplate; isSaved: boolean }>) {
  const { template: words } = useWords()
  const slug = useSlug()
  const { data: session } = useQuery(sessionQuery)
  const { data: senders, error, refetch } = useSenders(template.channel === 'email')
  const [chosen, setChosen] = useState<string | null>(null)
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const sending = useSendTest()
  const fromEmail = chosen ?? senders?.[0]?.value
  const to = session?.user.email ?? ''
  const reason = reasonAgainst({ template, isSaved, hasSender: fromEmail !== undefined }, words)
  const send = (): void => {
    if (fromEmail !== undefined) sending.mutate({ to, fromEmail, templateId: template.id, idempotencyKey }, { onSuccess: renew, onError })
  }
  if (template.channel !== 'email') return null
  return (
    <div className={styles.form}>
      <Group align="end" gap="sm">
        {senders && senders.length > 1 && (
          <NativeSelect
            label={words.from}
            value={fromEmail}
            data={senders.map(({ value, label }) => ({ value, label }))}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        )}
        <Button variant="default" loading={sending.isPending} disabled={reason !== null} onClick={send}>
          {words.sendTest}
        </Button>
        {reason !== null && <span className={styles.muted}>{reason}</span>}
      </Group>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {sending.error && <Problem error={sending.error} />}
      <div role="status">
        {sending.data && (
          <>
            {words.sentTo} <bdi dir="ltr">{to}</bdi>. <Link to={paths.message(slug, sending.data.data.id)}>{words.seeMessage}</Link>
          </>
        )}
      </div>
    </div>
  )
}

type Situation = Readonly<{ template: EditedTemplate; isSaved: boolean; hasSender: boolean }>

const reasonAgainst = ({ template, isSaved, hasSender }: Situation, words: Words['template']): string | null => {
  if (template.archived) return words.isArchived
  if (!hasSender) return words.noSender
  return isSaved ? null : words.saveFirst
}
