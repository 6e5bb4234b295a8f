import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { personName } from '@tidings/domain'
import { useState } from 'react'
import { useParams } from 'react-router'
import type { Profile } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyId } from '../../ui/copy.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { AddMembers } from './add-members.tsx'
import { useList, useMembers, useRemoveMember } from './list.api.ts'
import { ListRule } from './rule.tsx'

const columnsIn = ({ profiles: words, profile, lists }: Words, onRemove: ((row: Profile) => void) | null): readonly Column<Profile>[] => [
  { key: 'name', header: words.name, cell: (row) => <bdi>{personName(row) ?? profile.unnamed}</bdi> },
  { key: 'email', header: words.email, cell: ({ email }) => <bdi dir="ltr">{email ?? '–'}</bdi> },
  {
    key: 'consent',
    header: words.emailConsent,
    cell: ({ emailConsent, emailSuppressed }) => <Status word={emailSuppressed ? 'blocked' : emailConsent} />,
  },
  ...(onRemove === null
    ? []
    : [
        {
          key: 'remove',
          header: lists.remove,
          cell: (row: Profile) => (
            <Button
              variant="default"
              size="compact-xs"
              onClick={() => onRemove(row)}
              aria-label={`${lists.remove}: ${personName(row) ?? row.id}`}
            >
              {lists.remove}
            </Button>
          ),
        },
      ]),
]

/** The members of a list; of one that is kept by hand they are changed here. */
export function Component() {
  const words = useWords()
  const slug = useSlug()
  const { id = '' } = useParams()
  const [offset, setOffset] = useState(0)
  const [note, setNote] = useState('')
  const [removed, setRemoved] = useState<Profile | null>(null)
  const [isAdding, { open, close }] = useDisclosure(false)
  const { data: list, error, refetch } = useList(id)
  const members = useMembers(id, { offset, count: list?.members })
  const removing = useRemoveMember(id, () => setRemoved(null))
  const isStatic = list?.type === 'static'
  return (
    <Page
      title={list?.name ?? words.lists.title}
      back={{ to: paths.lists(slug), text: words.lists.back }}
      aside={<CopyId id={id} />}
      actions={isStatic && <Button onClick={open}>{words.lists.add}</Button>}
    >
      <AddMembers
        {...{ id, opened: isAdding, onClose: close }}
        onAdded={(count) => {
          setNote(words.lists.added(count))
          close()
        }}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {list && <ListRule list={list} />}
      <div role="status">{note}</div>
      <PagedTable
        result={members}
        table={{
          label: words.lists.members,
          columns: columnsIn(words, isStatic ? setRemoved : null),
          rowKey: (row) => row.id,
          rowLink: (row) => paths.profile(slug, row.id),
        }}
        empty={<Empty text={words.lists.noMembers} />}
        onMove={setOffset}
      />
      <Confirm
        opened={removed !== null}
        title={words.lists.removeTitle}
        verb={words.lists.remove}
        pending={removing.isPending}
        error={removing.error}
        onConfirm={() => removed && removing.mutate(removed.id)}
        onClose={() => setRemoved(null)}
      >
        <bdi>{removed && (personName(removed) ?? removed.id)}</bdi>. {words.lists.removeHelp}
      </Confirm>
    </Page>
  )
}
