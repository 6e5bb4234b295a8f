import { Button, Group, NativeSelect } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { LibraryTemplate } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { Time } from '../../ui/time.tsx'
import { useLead } from '../../ui/use-lead.ts'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { NewTemplate } from './new-template.tsx'
import { type TemplateFilter, useTemplates } from './templates.api.ts'

const columnsIn = ({ templates: words, profiles, channels }: Words): readonly Column<LibraryTemplate>[] => [
  { key: 'name', header: words.name, cell: ({ name }) => <bdi>{name}</bdi> },
  { key: 'channel', header: profiles.channel, cell: ({ channel }) => channels[channel] },
  { key: 'state', header: words.state, cell: ({ archived }) => (archived ? `○ ${words.archived}` : `● ${words.use}`) },
  { key: 'changed', header: words.changed, cell: ({ changedAt }) => <Time at={changedAt} inTable /> },
]

/** The library: what is in use, unless the archive is asked for. */
export function Component() {
  const words = useWords()
  const slug = useSlug()
  const lead = useLead()
  const [offset, setOffset] = useState(0)
  const [filter, setFilter] = useState<TemplateFilter>({ channel: '', archived: 'false' })
  const [isAdding, { open, close }] = useDisclosure(false)
  const result = useTemplates(filter, offset)
  const change = (changed: Partial<TemplateFilter>): void => {
    setOffset(0)
    setFilter({ ...filter, ...changed })
  }
  const { templates } = words
  const isFiltered = filter.channel !== '' || filter.archived === 'true'
  const add = <Button onClick={open}>{templates.add}</Button>
  return (
    <Page title={templates.title} actions={add}>
      <NewTemplate opened={isAdding} onClose={close} onDone={(id) => lead(paths.template(slug, id))} />
      <Filter filter={filter} onChange={change} />
      <PagedTable
        result={result}
        table={{
          label: templates.title,
          columns: columnsIn(words),
          rowKey: ({ id }) => id,
          rowLink: ({ id }) => paths.template(slug, id),
        }}
        empty={<Empty text={isFiltered ? templates.noMatch : templates.empty} />}
        onMove={setOffset}
      />
    </Page>
  )
}

type FilterProps = Readonly<{ filter: TemplateFilter; onChange: (changed: Partial<TemplateFilter>) => void }>

function Filter({ filter, onChange }: FilterProps) {
  const { templates: words, profiles, channels } = useWords()
  return (
    <search>
      <Group gap="sm" align="end">
        <NativeSelect
          label={profiles.channel}
          value={filter.channel}
          data={[
            { value: '', label: profiles.any },
            ...(['email', 'sms', 'push'] as const).map((value) => ({ value, label: channels[value] })),
          ]}
          onChange={(event) => onChange({ channel: event.currentTarget.value })}
        />
        <NativeSelect
          label={words.state}
          value={filter.archived}
          data={[
            { value: 'false', label: words.use },
            { value: 'true', label: words.archived },
            { value: '', label: words.any },
          ]}
          onChange={(event) => onChange({ archived: event.currentTarget.value })}
        />
      </Group>
    </search>
  )
}
