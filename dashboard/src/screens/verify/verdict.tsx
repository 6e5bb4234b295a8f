import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { useWords } from '../../words/words.tsx'
import type { ProofVerdict } from './check-chosen.ts'
import styles from './verify.module.css'

const SIGNS = { genuine: '✓', consistent: '?', wrong: '✕', refused: '✕' } as const

function kindOf(verdict: ProofVerdict): keyof typeof SIGNS {
  if (verdict.refused !== undefined) return 'refused'
  if (!verdict.said.ok) return 'wrong'
  return verdict.said.keyChecked ? 'genuine' : 'consistent'
}

/** The word of the page, and the sentences of the verifier as they are. Names in them are those of the writer of the proof. */
export function Verdict({ verdict }: Readonly<{ verdict: ProofVerdict }>) {
  const { verify: words } = useWords()
  const kind = kindOf(verdict)
  return (
    <div className={styles.verdict}>
      <div role="status" className={styles[kind]}>
        <h2 className={styles.word}>
          <span aria-hidden="true">{SIGNS[kind]}</span> {words.verdicts[kind]}
        </h2>
        <p>{verdict.refused === undefined ? words.means[kind] : words.refusals[verdict.refused]}</p>
      </div>
      {verdict.refused === undefined && <Details verdict={verdict} />}
    </div>
  )
}

type CheckedProof = Extract<ProofVerdict, { first: string }>

function Details({ verdict: { said, first, subject } }: Readonly<{ verdict: CheckedProof }>) {
  const { verify: words, locale } = useWords()
  const { checked, problems, notes } = said
  const number = (count: number): string => count.toLocaleString(locale)
  return (
    <>
      {problems.length > 0 && <Sentences title={words.problems} sentences={problems} />}
      {checked && subject && (
        <Facts
          items={[
            [words.workspace, <bdi key="workspace">{subject.workspace}</bdi>],
            [words.contacts, <People key="contacts" ids={subject.contacts} count={checked.contacts} />],
            [words.statements, number(checked.consents)],
            [words.events, number(checked.events)],
            [words.logSize, number(checked.logSize)],
            [words.until, <bdi key="until">{checked.until}</bdi>],
            [words.signedBy, <bdi key="key">{checked.key}</bdi>],
          ]}
        />
      )}
      <Sentences title={words.notes} sentences={problems.length > 0 ? notes : [first, ...notes]} />
    </>
  )
}

function People({ ids, count }: Readonly<{ ids: readonly string[]; count: number }>) {
  const { verify: words } = useWords()
  return (
    <>
      {ids.map((id) => (
        <div key={id}>
          <bdi>{id}</bdi>
        </div>
      ))}
      {count > ids.length && <div>{words.more(count - ids.length)}</div>}
    </>
  )
}

function Sentences({ title, sentences }: Readonly<{ title: string; sentences: readonly string[] }>) {
  if (sentences.length === 0) return null
  return (
    <Section title={title}>
      <ul lang="en" dir="ltr" className={styles.sentences}>
        {sentences.map((sentence, at) => (
          <li key={at}>
            <bdi>{sentence}</bdi>
          </li>
        ))}
      </ul>
    </Section>
  )
}
