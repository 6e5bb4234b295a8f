import type { ReactNode } from 'react'
import { useWords } from '../words/words.tsx'
import { Code } from './code.tsx'
import styles from './empty.module.css'

type Props = Readonly<{ text: string; action?: ReactNode; call?: string }>

/** What is not there yet: what it would be, one button, and the call that makes it. */
export function Empty({ text, action, call }: Props) {
  const { ui } = useWords()
  return (
    <div className={styles.empty}>
      <p>{text}</p>
      {action}
      {call !== undefined && (
        <details>
          <summary>{ui.byCall}</summary>
          <Code text={call} label={ui.byCall} />
        </details>
      )}
    </div>
  )
}
