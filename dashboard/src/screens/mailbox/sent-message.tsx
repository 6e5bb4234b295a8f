import { Button, Tabs } from '@mantine/core'
import { outside } from '../../prefix.ts'
import { Code } from '../../ui/code.tsx'
import { Facts } from '../../ui/facts.tsx'
import { MailWithImages } from '../../ui/mail-frame.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { type Sent, useReport } from './mailbox.api.ts'
import styles from './mailbox.module.css'

/** One message as its reader would see it. */
export function SentMessage({ sent }: Readonly<{ sent: Sent }>) {
  const { mailbox: words, channels, ui } = useWords()
  return (
    <article className={styles.message} aria-label={sent.subject ?? channels[sent.channel]}>
      <h2 className={styles.title}>
        <bdi>{sent.subject ?? channels[sent.channel]}</bdi>
      </h2>
      <Facts
        items={[
          [
            words.from,
            <bdi key="from" dir="ltr">
              {sent.from ?? ui.none}
            </bdi>,
          ],
          [
            words.to,
            <bdi key="to" dir="ltr">
              {sent.to}
            </bdi>,
          ],
          [words.at, <Time key="at" at={sent.at} />],
        ]}
      />
      {sent.channel === 'email' ? <Mail sent={sent} /> : <Bubble sent={sent} />}
      {sent.messageId !== undefined && <Report sent={sent} />}
    </article>
  )
}

function Mail({ sent }: Readonly<{ sent: Sent }>) {
  const { mailbox: words } = useWords()
  const addressOf = (images: boolean) => outside(`/dev/outbox/${encodeURIComponent(sent.id)}/html${images ? '?images=1' : ''}`)
  return (
    <Tabs defaultValue="html" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="html">{words.html}</Tabs.Tab>
        <Tabs.Tab value="text">{words.text}</Tabs.Tab>
        <Tabs.Tab value="headers">{words.headers}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html" className={styles.panel}>
        <MailWithImages addressOf={addressOf} title={sent.subject ?? words.noSubject} />
      </Tabs.Panel>
      <Tabs.Panel value="text" className={styles.panel}>
        <Code text={sent.text ?? ''} label={words.text} />
      </Tabs.Panel>
      <Tabs.Panel value="headers" className={styles.panel}>
        <Code
          label={words.headers}
          text={Object.entries(sent.headers ?? {})
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        />
      </Tabs.Panel>
    </Tabs>
  )
}

/** A text, a call or a push: what is read, heard or shown. */
function Bubble({ sent }: Readonly<{ sent: Sent }>) {
  return (
    <p className={styles.bubble} dir="auto">
      {sent.body ?? sent.text ?? ''}
    </p>
  )
}

const REPORTS: Readonly<Record<Sent['channel'], readonly string[]>> = {
  email: ['delivered', 'bounced', 'complained', 'failed'],
  sms: ['delivered', 'failed'],
  voice: ['delivered', 'failed'],
  push: [],
}

/** What a provider would report: the same code takes it. */
function Report({ sent }: Readonly<{ sent: Sent }>) {
  const { mailbox: words } = useWords()
  const reporting = useReport(sent.id)
  if (REPORTS[sent.channel].length === 0) return null
  return (
    <section aria-label={words.report} className={styles.report}>
      <span>{words.reportHelp}</span>
      {REPORTS[sent.channel].map((status) => (
        <Button key={status} variant="default" size="compact-sm" loading={reporting.isPending} onClick={() => reporting.mutate(status)}>
          <bdi lang="en">{status}</bdi>
        </Button>
      ))}
      <span role="status">{reporting.isSuccess && words.reported}</span>
      {reporting.error && <Problem error={reporting.error} />}
    </section>
  )
}
