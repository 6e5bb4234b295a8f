import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { zonesFrom } from '../../ui/zoned-time.ts'
import { useWords } from '../../words/words.tsx'
import type { GeneralDraft, MarketingDraft, RepliesDraft } from './draft.ts'
import styles from './settings-workspace.module.css'

type Fields<Draft> = Readonly<{ draft: Draft; onChange: (next: Draft) => void }>

const REGION = /^[A-Z]{2}$/

/** What a country of two letters is called; empty while it is none. */
const countryName = (typed: string, locale: string): string => {
  const code = typed.trim().toUpperCase()
  return REGION.test(code) ? (new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' }).of(code) ?? '') : ''
}

export function GeneralFields({ draft, onChange }: Fields<GeneralDraft>) {
  const { locale, workspace: words } = useWords()
  const name = countryName(draft.country, locale)
  return (
    <>
      <TextInput
        label={words.name}
        value={draft.name}
        maxLength={255}
        required
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
      />
      <TextInput
        label={words.country}
        description={name === '' ? words.countryHelp : `${words.countryHelp} ${name}.`}
        dir="ltr"
        value={draft.country}
        maxLength={2}
        required
        pattern="[A-Za-z]{2}"
        onChange={(event) => onChange({ ...draft, country: event.currentTarget.value })}
      />
      <Checkbox
        label={words.tracking}
        description={words.trackingHelp}
        checked={draft.tracking}
        onChange={(event) => onChange({ ...draft, tracking: event.currentTarget.checked })}
      />
    </>
  )
}

const ZONES = Intl.supportedValuesOf('timeZone')

export function MarketingFields({ draft, onChange }: Fields<MarketingDraft>) {
  const { workspace: words } = useWords()
  const field = (name: 'from' | 'to' | 'messages' | 'days') => ({
    label: words[name],
    value: draft[name],
    required: true,
    onChange: (event: Readonly<{ currentTarget: HTMLInputElement }>) => onChange({ ...draft, [name]: event.currentTarget.value }),
  })
  return (
    <>
      <NativeSelect
        label={words.timezone}
        description={words.timezoneHelp}
        dir="ltr"
        value={draft.timezone}
        data={[...zonesFrom(draft.timezone, ZONES)]}
        onChange={(event) => onChange({ ...draft, timezone: event.currentTarget.value })}
      />
      <Checkbox
        label={words.quiet}
        description={words.quietHelp}
        checked={draft.isQuiet}
        onChange={(event) => onChange({ ...draft, isQuiet: event.currentTarget.checked })}
      />
      {draft.isQuiet && (
        <div className={styles.pair}>
          <TextInput type="time" {...field('from')} />
          <TextInput type="time" {...field('to')} />
        </div>
      )}
      <Checkbox
        label={words.cap}
        description={words.capHelp}
        checked={draft.isCapped}
        onChange={(event) => onChange({ ...draft, isCapped: event.currentTarget.checked })}
      />
      {draft.isCapped && (
        <div className={styles.pair}>
          <TextInput inputMode="numeric" dir="ltr" {...field('messages')} />
          <TextInput inputMode="numeric" dir="ltr" {...field('days')} />
        </div>
      )}
    </>
  )
}

const KEYWORDS = ['stop', 'start', 'help'] as const

export function ReplyFields({ draft, onChange }: Fields<RepliesDraft>) {
  const { workspace: words } = useWords()
  return KEYWORDS.map((keyword) => (
    <Textarea
      key={keyword}
      label={words.replyTo(keyword.toUpperCase())}
      description={words.replyHelp}
      value={draft[keyword]}
      maxLength={1_600}
      minRows={2}
      onChange={(event) => onChange({ ...draft, [keyword]: event.currentTarget.value })}
    />
  ))
}
