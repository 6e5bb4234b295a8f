import { Tabs } from '@mantine/core'
import { useId } from 'react'
import { MailFrame, MailWithImages } from '../../ui/mail-frame.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { contentAddress, useHasContent } from './message.api.ts'
import styles from './message.module.css'

/** What the recipient got, in a frame that runs nothing. */
export function Content({ id, isMail }: Readonly<{ id: string; isMail: boolean }>) {
  const { messages: words, mailbox } = useWords()
  const titleId = useId()
  const { data: isKept, error, refetch } = useHasContent(id)
  const text = <MailFrame address={contentAddress(id, { part: 'text', images: false })} title={mailbox.text} />
  return (
    <section aria-labelledby={titleId}>
      <h2 id={titleId} className={styles.title}>
        {words.content}
      </h2>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isKept === false && <p>{words.contentGone}</p>}
      {isKept && !isMail && text}
      {isKept && isMail && (
        <Tabs defaultValue="html" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="html">{mailbox.html}</Tabs.Tab>
            <Tabs.Tab value="text">{mailbox.text}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="html" className={styles.panel}>
            <MailWithImages addressOf={(images) => contentAddress(id, { part: 'html', images })} title={mailbox.html} />
          </Tabs.Panel>
          <Tabs.Panel value="text" className={styles.panel}>
            {text}
          </Tabs.Panel>
        </Tabs>
      )}
    </section>
  )
}
