import { Button, NativeSelect } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { type Sent, useClear, useMailbox } from './mailbox.api.ts'
import styles from './mailbox.module.css'
import { SentMessage } from './sent-message.tsx'

const CHANNELS = ['email', 'sms', 'voice', 'push'] as const

/** What was sent in development, as it looks: mails, texts, calls and pushes. Without a session, for this machine alone. */
export function Component() {
  const { mailbox: words, channels } = useWords()
  const [channel, setChannel] = useState('')
  const [search, setSearch] = useSearchParams()
  const [isAsked, { open, close }] = useDisclosure(false)
  const { data, error, refetch } = useMailbox(channel)
  const clearing = useClear(close)
  const chosen = data?.find(({ id }) => id === search.get('id')) ?? data?.[0]
  return (
    <main id="content" className={styles.main}>
      <Page
        title={words.title}
        actions={
          <>
            <Button variant="default" onClick={() => void refetch()}>
              {words.refresh}
            </Button>
            <Button variant="default" onClick={open} disabled={data === undefined || data.length === 0}>
              {words.clear}
            </Button>
          </>
        }
      >
        <p className={styles.help}>{words.help}</p>
        <Confirm
          opened={isAsked}
          title={words.clearTitle}
          verb={words.clear}
          pending={clearing.isPending}
          error={clearing.error}
          onConfirm={() => clearing.mutate()}
          onClose={close}
        >
          {words.clearHelp}
        </Confirm>
        <NativeSelect
          label={words.channel}
          maw={200}
          value={channel}
          onChange={(event) => setChannel(event.currentTarget.value)}
          data={[{ value: '', label: words.all }, ...CHANNELS.map((value) => ({ value, label: channels[value] }))]}
        />
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {data === undefined && !error && <Loading />}
        {data?.length === 0 && <Empty text={words.empty} />}
        {data && chosen && (
          <div className={styles.columns}>
            <MessageList sent={data} chosen={chosen.id} onChoose={(id) => setSearch({ id }, { replace: true })} />
            <SentMessage key={chosen.id} sent={chosen} />
          </div>
        )}
      </Page>
    </main>
  )
}

type ListProps = Readonly<{ sent: readonly Sent[]; chosen: string; onChoose: (id: string) => void }>

function MessageList({ sent, chosen, onChoose }: ListProps) {
  const { mailbox: words, channels } = useWords()
  return (
    <nav aria-label={words.messages} className={styles.list}>
      <ul>
        {sent.map((one) => (
          <li key={one.id}>
            <button type="button" aria-current={one.id === chosen} className={styles.entry} onClick={() => onChoose(one.id)}>
              <bdi className={styles.subject}>{one.subject ?? one.body ?? one.text ?? words.noSubject}</bdi>
              <span className={styles.more}>
                <bdi dir="ltr">{one.to}</bdi> · {channels[one.channel]} · <Time at={one.at} inTable />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}
