import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Profile } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { personName } from '../../ui/person-name.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { NewProfile } from './new-profile.tsx'
import { useProfiles } from './profiles.api.ts'
import styles from './profiles.module.css'

const LIMIT = 50
const STATES = ['subscribed', 'unsubscribed', 'never_subscribed', 'cleaned'] as const

const columnsIn = ({ profiles: words, profile }: Words): readonly Column<Profile>[] => [
  { key: 'name', header: words.name, sort: 'lastName', cell: (row) => <bdi>{personName(row) ?? profile.unnamed}</bdi> },
  { key: 'email', header: words.email, sort: 'email', cell: ({ email }) => <bdi dir="ltr">{email ?? '–'}</bdi> },
  { key: 'phone', header: words.phone, cell: ({ phone }) => <bdi dir="ltr">{phone ?? '–'}</bdi> },
  {
    key: 'emailConsent',
    header: words.emailConsent,
    cell: ({ emailConsent, emailSuppressed }) => <Status word={emailSuppressed ? 'blocked' : emailConsent} />,
  },
  {
    key: 'smsConsent',
    header: words.smsConsent,
    cell: ({ smsConsent, smsSuppressed }) => <Status word={smsSuppressed ? 'blocked' : smsConsent} />,
  },
  { key: 'updated', header: words.updated, sort: 'updatedAt', cell: ({ updatedAt }) => <Time at={updatedAt} inTable /> },
]

/** What is looked for stands in the address: it can be kept and sent to a colleague. */
function useAsked() {
  const [search, setSearch] = useSearchParams()
  const asked = {
    search: search.get('search') ?? '',
    consent: search.get('consent') ?? '',
    channel: search.get('channel') ?? 'email',
    sort: search.get('sort') ?? 'updatedAt:desc',
    offset: Math.max(0, Number.parseInt(search.get('offset') ?? '0', 10) || 0),
  }
  const change = (next: Readonly<Record<string, string>>): void =>
    setSearch(
      (current) => {
        const changed = new URLSearchParams(current)
        changed.delete('offset')
        for (const [name, value] of Object.entries(next)) value === '' ? changed.delete(name) : changed.set(name, value)
        return changed
      },
      { replace: true },
    )
  return { asked, change }
}

/** The public call that makes a first profile, with a key. */
const createCall = (slug: string): string =>
  [
    `curl -X POST ${location.origin}/api/v1/public/profiles`,
    `-H 'X-Sender-Tenant: ${slug}' -H 'X-API-Key: KEY' -H 'Content-Type: application/json'`,
    `-d '{"email":"ada@example.com"}'`,
  ].join(' ')

export function Component() {
  const words = useWords()
  const slug = useSlug()
  const { asked, change } = useAsked()
  const [isNew, { open, close }] = useDisclosure(false)
  const { consent, channel, ...rest } = asked
  const result = useProfiles({
    ...rest,
    ...(consent !== '' && { consent, channel }),
    limit: LIMIT,
  })
  const isFiltered = asked.search !== '' || consent !== '' || asked.offset > 0
  return (
    <Page title={words.profiles.title} actions={<Button onClick={open}>{words.profiles.newProfile}</Button>}>
      <NewProfile opened={isNew} onClose={close} />
      <Filters asked={asked} onChange={change} />
      <PagedTable
        result={result}
        table={{
          label: words.profiles.title,
          columns: columnsIn(words),
          rowKey: ({ id }) => id,
          rowLink: ({ id }) => paths.profile(slug, id),
          sort: asked.sort,
          onSort: (sort) => change({ sort }),
        }}
        empty={
          isFiltered ? (
            <Empty
              text={words.profiles.noMatch}
              action={
                <Button variant="default" onClick={() => change({ search: '', consent: '', channel: '' })}>
                  {words.profiles.clear}
                </Button>
              }
            />
          ) : (
            <Empty
              text={words.profiles.empty}
              action={<Button onClick={open}>{words.profiles.newProfile}</Button>}
              call={createCall(slug)}
            />
          )
        }
        onMove={(offset) => change({ offset: String(offset) })}
      />
    </Page>
  )
}

type FiltersProps = Readonly<{
  asked: Readonly<{ search: string; consent: string; channel: string }>
  onChange: (next: Readonly<Record<string, string>>) => void
}>

function Filters({ asked, onChange }: FiltersProps) {
  const { profiles: words, channels } = useWords()
  const [text, setText] = useState(asked.search)
  const search = useDebouncedCallback((wanted: string) => onChange({ search: wanted }), 250)
  // The button that clears, and a step back in the history, change what is asked without typing.
  useEffect(() => setText(asked.search), [asked.search])
  return (
    <search className={styles.filters}>
      <TextInput
        label={words.search}
        placeholder={words.searchHelp}
        value={text}
        maxLength={255}
        onChange={(event) => {
          setText(event.currentTarget.value)
          search(event.currentTarget.value)
        }}
      />
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
    </search>
  )
}
