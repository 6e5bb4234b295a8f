import type { MessageStory } from '../../api/calls.ts'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './message.module.css'
import { notSent } from './not-sent.ts'

/** Why nothing was sent, in a sentence, with the consent and the blocks behind it. */
export function WhyNotSent({ story }: Readonly<{ story: MessageStory }>) {
  const { messages: words } = useWords()
  const held = notSent(story)
  if (held === null) return null
  const reasons: Readonly<Record<string, string>> = words.heldReasons
  return (
    <Section title={words.held}>
      <p>
        <strong>{reasons[held.reason] ?? words.heldOther}</strong> <bdi lang="en">({held.reason})</bdi>
      </p>
      <ul className={styles.facts}>
        {held.facts.map((fact) => (
          <li key={`${fact.position} ${fact.says}`}>
            <Time at={fact.at} />
            <bdi lang="en">{fact.says}</bdi>
          </li>
        ))}
      </ul>
    </Section>
  )
}
