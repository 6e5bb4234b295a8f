import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useWords } from '../words/words.tsx'
import styles from './copy.module.css'

/** By way of a field that is selected: there is no clipboard on plain http of another host. */
function copyBySelection(text: string): void {
  const field = document.createElement('textarea')
  field.value = text
  field.className = styles.outside ?? ''
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    copyBySelection(text)
  }
}

function useCopied(): readonly [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  return [copied, (text) => void copyText(text).then(() => setCopied(true))]
}

/** Two sheets: drawn, because the fonts of many systems have no such character. */
const CopySign = () => (
  <svg aria-hidden="true" width="12" height="12" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2">
    <rect x="8" y="8" width="13" height="13" rx="2" />
    <path d="M16 8V5a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v9a2 2 0 0 0 2 2h3" />
  </svg>
)

/** An id that can be copied; its first characters tell it from others. */
export function CopyId({ id }: Readonly<{ id: string }>) {
  const { ui } = useWords()
  const [copied, copy] = useCopied()
  return (
    <button type="button" className={styles.id} onClick={() => copy(id)} aria-label={ui.copyId(id)} title={id}>
      <span dir="ltr" aria-hidden="true">
        {id.slice(0, 8)}…
      </span>{' '}
      <span aria-live="polite">{copied ? `✓ ${ui.copied}` : <CopySign />}</span>
    </button>
  )
}

export function CopyButton({ text }: Readonly<{ text: string }>) {
  const { ui } = useWords()
  const [copied, copy] = useCopied()
  return (
    <Button variant="default" size="compact-sm" onClick={() => copy(text)} aria-live="polite">
      {copied ? `✓ ${ui.copied}` : ui.copy}
    </Button>
  )
}
