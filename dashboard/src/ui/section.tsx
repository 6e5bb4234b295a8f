import { type ReactNode, useId } from 'react'
import styles from './section.module.css'

/** A part of a page, with its title. */
export function Section({ title, children }: Readonly<{ title: string; children: ReactNode }>) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={styles.title}>
        {title}
      </h2>
      <div className={styles.parts}>{children}</div>
    </section>
  )
}
