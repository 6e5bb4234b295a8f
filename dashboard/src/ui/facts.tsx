import type { ReactNode } from 'react'
import styles from './facts.module.css'

/** Names and values of one thing. */
export function Facts({ items }: Readonly<{ items: readonly (readonly [string, ReactNode])[] }>) {
  return (
    <dl className={styles.facts}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
