import { Button, Tabs } from '@mantine/core'
import { useState } from 'react'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { contentAddress, useHasContent } from './message.api.ts'
import styles from './message.module.css'

/** What the recipient got, in a frame that runs nothing. */
export function Content({ id, isMail }: Readonly<{ id: string; isMail: boolean }>) {
  const { messages: words, mailbox, ui } = useWords()
  const { data: isKept, error, refetch } = useHasContent(id)
  const [withImages, setImages] = useState(false)
  const text = <MailFrame address={contentAddress(id, { part: 'text', images: false })} title={mailbox.text} />
  return (
    <section aria-labelledby="content">
      <h2 id="content" className={styles.title}>
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
            <Button variant="default" size="compact-sm" aria-pressed={withImages} onClick={() => setImages(!withImages)}>
              {withImages ? ui.hideImages : ui.showImages}
            </Button>
            <MailFrame address={contentAddress(id, { part: 'html', images: withImages })} title={mailbox.html} />
          </Tabs.Panel>
          <Tabs.Panel value="text" className={styles.panel}>
            {text}
          </Tabs.Panel>
        </Tabs>
      )}
    </section>
  )
}
