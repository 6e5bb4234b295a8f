import styles from './status.module.css'
import { SIGNS, toneOf } from './status-tone.ts'

/** A state as the API calls it, with a sign. */
export function Status({ word }: Readonly<{ word: string }>) {
  const tone = toneOf(word)
  return (
    <span className={styles[tone]}>
      <span aria-hidden="true">{SIGNS[tone]}</span> <bdi lang="en">{word}</bdi>
    </span>
  )
}
