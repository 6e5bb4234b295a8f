import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { personName } from '@tidings/domain'
import { useState } from 'react'
import { type Page, type Profile, queryOf } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { useWords } from '../words/words.tsx'

const FOUND = 20
const TYPING_MS = 250

type Props = Readonly<{ label: string; none: string; value: string | null; onChange: (id: string | null) => void }>

/** One of the profiles, found by what is typed; or none of them. */
export function ChoosePerson({ label, none, value, onChange }: Props) {
  const { find } = useWords()
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search, TYPING_MS)
  const { data } = useQuery({
    queryKey: [...keys.profiles, 'chosen from', asked],
    queryFn: ({ signal }) => client.read<Page<Profile>>(`/dashboard/profiles${queryOf({ search: asked, limit: FOUND })}`, signal),
    placeholderData: keepPreviousData,
  })
  const people = (data?.items ?? []).map((person) => ({ value: person.id, label: personName(person) ?? person.email ?? person.id }))
  return (
    <Select
      label={label}
      placeholder={none}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': none }}
      nothingFoundMessage={find.none}
      data={people}
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      onSearchChange={setSearch}
    />
  )
}
