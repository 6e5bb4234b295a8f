import { NativeSelect } from '@mantine/core'
import { TypedFilter } from '../../ui/typed-filter.tsx'
import { useWords } from '../../words/words.tsx'
import { useLists } from './profiles.api.ts'
import styles from './profiles.module.css'

const STATES = ['subscribed', 'unsubscribed', 'never_subscribed', 'cleaned'] as const
const BLOCKED = ['email', 'sms', 'any', 'none'] as const

type AskedFilters = Readonly<Record<'search' | 'consent' | 'channel' | 'list' | 'tag' | 'blocked', string>>
type FiltersProps = Readonly<{ asked: AskedFilters; onChange: (next: Partial<AskedFilters>) => void }>

/** The filters of profiles. */
export function Filters({ asked, onChange }: FiltersProps) {
  const { profiles: words, channels } = useWords()
  const { data: lists } = useLists()
  return (
    <search className={styles.filters}>
      <TypedFilter label={words.search} help={words.searchHelp} value={asked.search} onChange={(search) => onChange({ search })} />
      <NativeSelect
        label={words.consent}
        value={asked.consent}
        onChange={(event) => onChange({ consent: event.currentTarget.value })}
        data={[{ value: '', label: words.any }, ...STATES]}
      />
      <NativeSelect
        label={words.channel}
        value={asked.channel}
        onChange={(event) => onChange({ channel: event.currentTarget.value })}
        disabled={asked.consent === ''}
        data={[
          { value: 'email', label: channels.email },
          { value: 'sms', label: channels.sms },
        ]}
      />
      <NativeSelect
        label={words.list}
        value={asked.list}
        onChange={(event) => onChange({ list: event.currentTarget.value })}
        data={[{ value: '', label: words.any }, ...(lists?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))]}
      />
      <TypedFilter label={words.tag} value={asked.tag} onChange={(tag) => onChange({ tag })} />
      <NativeSelect
        label={words.blocked}
        value={asked.blocked}
        onChange={(event) => onChange({ blocked: event.currentTarget.value })}
        data={[{ value: '', label: words.any }, ...BLOCKED.map((value) => ({ value, label: words.blockedOn[value] }))]}
      />
    </search>
  )
}
