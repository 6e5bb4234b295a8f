import type { ShownTag } from '../../api/calls.ts'
import styles from './tags.module.css'

/** The name behind a dot of its colour. */
export function TagBadge({ tag: { name, color } }: Readonly<{ tag: Pick<ShownTag, 'name' | 'color'> }>) {
  return (
    <span className={styles.badge}>
      {color !== null && <span className={styles.dot} data-color={color} aria-hidden="true" />}
      <bdi>{name}</bdi>
    </span>
  )
}
