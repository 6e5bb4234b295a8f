import { Button } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../words/words.tsx'
import styles from './mail-frame.module.css'

/**
 * Content that a stranger may have written, in a frame without script and of no origin: its own answer carries the policy. A new address is a new
 * frame, so that going back does not step through mails.
 */
export function MailFrame({ address, title, low = false }: Readonly<{ address: string; title: string; low?: boolean }>) {
  return (
    <iframe key={address} src={address} title={title} sandbox="" className={styles.frame} data-low={low} referrerPolicy="no-referrer" />
  )
}

/** A mail whose images of the web are loaded only where somebody asks for them. `addressOf`: of the content, with them or without. */
export function MailWithImages({ addressOf, title }: Readonly<{ addressOf: (images: boolean) => string; title: string }>) {
  const { ui } = useWords()
  const [withImages, setImages] = useState(false)
  return (
    <>
      <Button variant="default" size="compact-sm" aria-pressed={withImages} onClick={() => setImages(!withImages)}>
        {withImages ? ui.hideImages : ui.showImages}
      </Button>
      <MailFrame address={addressOf(withImages)} title={title} />
    </>
  )
}
