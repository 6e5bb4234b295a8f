import styles from './code.module.css'
import { CopyButton } from './copy.tsx'

/** Code and what is copied whole, such as a key: never mirrored. */
export function Code({ text, label }: Readonly<{ text: string; label: string }>) {
  return (
    <section className={styles.code} aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by the keyboard. */}
      <pre dir="ltr" tabIndex={0}>
        {text}
      </pre>
      <CopyButton text={text} />
    </section>
  )
}
