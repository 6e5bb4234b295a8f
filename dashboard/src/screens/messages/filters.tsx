import { Group, NativeSelect, TextInput } from '@mantine/core'
import { TypedFilter } from '../../ui/typed-filter.tsx'
import { useWords } from '../../words/words.tsx'
import { useSources } from './messages.api.ts'

export const FILTERS = [
  'recipient',
  'status',
  'channel',
  'kind',
  'template',
  'campaign',
  'flow',
  'opened',
  'clicked',
  'from',
  'to',
] as const
export type Filter = (typeof FILTERS)[number]
export type Filtered = Readonly<Partial<Record<Filter, string>>>

const STATES = ['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed', 'skipped'] as const
const CHANNELS = ['email', 'sms', 'voice', 'push'] as const
const KINDS = ['transactional', 'marketing', 'passcode'] as const

type Props = Readonly<{ asked: Filtered; onChange: (changes: Filtered) => void }>
type Option = Readonly<{ value: string; label: string }>

/** The filters of messages. Each is a field, so that `/` finds the first. */
export function Filters({ asked, onChange }: Props) {
  const { messages: words, profiles, channels, ui } = useWords()
  const { templates, campaigns } = useSources()
  const select = (name: Filter, label: string, options: readonly Option[]) => (
    <NativeSelect
      label={label}
      value={asked[name] ?? ''}
      data={[{ value: '', label: profiles.any }, ...known(asked[name], options)]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  )
  const yesOrNo: readonly Option[] = [
    { value: 'true', label: ui.yes },
    { value: 'false', label: ui.no },
  ]
  return (
    <search>
      <Group gap="sm" align="end">
        <TypedFilter
          label={words.recipient}
          help={words.recipientHelp}
          value={asked.recipient ?? ''}
          onChange={(recipient) => onChange({ recipient })}
        />
        {select('status', words.status, STATES.map(asItIs))}
        {select(
          'channel',
          profiles.channel,
          CHANNELS.map((value) => ({ value, label: channels[value] })),
        )}
        {select(
          'kind',
          words.kind,
          KINDS.map((value) => ({ value, label: words.kinds[value] })),
        )}
        {select('template', words.template, templates)}
        {select('campaign', words.campaign, campaigns)}
        {asked.flow !== undefined && select('flow', words.flow, [])}
        {select('opened', words.opened, yesOrNo)}
        {select('clicked', words.clicked, yesOrNo)}
        {(['from', 'to'] as const).map((side) => (
          <TextInput
            key={side}
            type="date"
            label={words[side]}
            value={asked[side] ?? ''}
            onChange={(event) => onChange({ [side]: event.currentTarget.value })}
          />
        ))}
      </Group>
    </search>
  )
}

const asItIs = (value: string): Option => ({ value, label: value })

/** With what the address names and the field does not offer. */
const known = (value: string | undefined, options: readonly Option[]): readonly Option[] =>
  value === undefined || options.some((option) => option.value === value) ? options : [...options, asItIs(value)]
