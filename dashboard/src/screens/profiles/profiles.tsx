import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { personName } from '@tidings/domain'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Profile } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { outside } from '../../prefix.ts'
import type { Choosing, Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { Chosen, MOST_CHOSEN } from './chosen.tsx'
import { Filters } from './filters.tsx'
import { NewProfile } from './new-profile.tsx'
import { useProfiles } from './profiles.api.ts'

const LIMIT = 50

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
    list: search.get('list') ?? '',
    tag: search.get('tag') ?? '',
    blocked: search.get('blocked') ?? '',
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

const NO_FILTERS = { search: '', consent: '', channel: '', list: '', tag: '', blocked: '' } as const

/** The profiles that are chosen, also those of pages that were shown before. */
function useChosen() {
  const { bulk: words, profile } = useWords()
  const [byId, setById] = useState<ReadonlyMap<string, Profile>>(new Map())
  const onChoose = (rows: readonly Profile[], chosen: boolean): void =>
    setById((current) => {
      const next = new Map(current)
      for (const row of rows) {
        if (!chosen) next.delete(row.id)
        else if (next.size < MOST_CHOSEN) next.set(row.id, row)
      }
      return next
    })
  const choosing: Choosing<Profile> = {
    isChosen: ({ id }) => byId.has(id),
    onChoose,
    label: (row) => words.choose(personName(row) ?? profile.unnamed),
    labelOfAll: words.chooseAll,
  }
  return { chosen: [...byId.values()], choosing, clear: () => setById(new Map()) }
}

/** The public call that makes a first profile, with a key. */
const createCall = (slug: string): string =>
  [
    `curl -X POST ${location.origin}${outside('/api/v1/public/profiles')}`,
    `-H 'X-Sender-Tenant: ${slug}' -H 'X-API-Key: KEY' -H 'Content-Type: application/json'`,
    `-d '{"email":"ada@example.com"}'`,
  ].join(' ')

export function Component() {
  const words = useWords()
  const slug = useSlug()
  const { asked, change } = useAsked()
  const [isNew, { open, close }] = useDisclosure(false)
  const { consent, channel, list, ...rest } = asked
  const result = useProfiles({
    ...rest,
    ...(consent !== '' && { consent, channel }),
    segmentId: list,
    limit: LIMIT,
  })
  const { chosen, choosing, clear } = useChosen()
  const isFiltered = [asked.search, consent, list, asked.tag, asked.blocked].some((value) => value !== '') || asked.offset > 0
  return (
    <Page title={words.profiles.title} actions={<Button onClick={open}>{words.profiles.newProfile}</Button>}>
      <NewProfile opened={isNew} onClose={close} />
      <Filters asked={asked} onChange={change} />
      <Chosen chosen={chosen} onClear={clear} />
      <PagedTable
        result={result}
        table={{
          label: words.profiles.title,
          columns: columnsIn(words),
          rowKey: ({ id }) => id,
          rowLink: ({ id }) => paths.profile(slug, id),
          sort: asked.sort,
          onSort: (sort) => change({ sort }),
          choosing,
        }}
        empty={
          isFiltered ? (
            <Empty
              text={words.profiles.noMatch}
              action={
                <Button variant="default" onClick={() => change(NO_FILTERS)}>
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
