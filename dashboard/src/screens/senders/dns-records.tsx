import type { DnsRecord } from '../../api/calls.ts'
import { Code } from '../../ui/code.tsx'
import { Status } from '../../ui/status.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './senders.module.css'

/** The records to publish, each name and value to copy, with what DNS said. */
export function DnsRecords({ domain, records }: Readonly<{ domain: string; records: readonly DnsRecord[] }>) {
  const { senders: words } = useWords()
  return (
    <ul className={styles.records} aria-label={words.recordsOf(domain)}>
      {records.map((record) => (
        <Published key={`${record.kind} ${record.name}`} domain={domain} record={record} />
      ))}
    </ul>
  )
}

function Published({ domain, record }: Readonly<{ domain: string; record: DnsRecord }>) {
  const { senders: words } = useWords()
  const { kind, selector, name, type, value, state, found, advice } = record
  const title = selector === null ? words.kinds[kind] : `${words.kinds[kind]} ${selector}`
  return (
    <li className={styles.record}>
      <div className={styles.kind}>
        <bdi className={styles.title}>{title}</bdi>
        <span lang="en">{type}</span>
        <Status word={state} />
      </div>
      <Code text={name} label={words.nameOf(title, domain)} />
      {value === null ? <p className={styles.note}>{words.relaySays}</p> : <Code text={value} label={words.valueOf(title, domain)} />}
      {found.length > 0 && (
        <div className={styles.found}>
          {state === 'found' ? words.found : words.foundInstead}
          {found.map((text) => (
            <code key={text} dir="ltr">
              {text}
            </code>
          ))}
        </div>
      )}
      {advice !== null && (
        <p className={styles.found} lang="en" dir="ltr">
          {advice}
        </p>
      )}
    </li>
  )
}
