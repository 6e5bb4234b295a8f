import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedPerson, SignedIn } from '../../api/calls.ts'
import { sessionQuery } from '../../app/session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type GivenLink, LinkOnce } from '../../ui/given-link.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useSpoken } from '../../words/words.tsx'
import { useNewLink, usePeople, useRemovePerson } from './people.api.ts'
import { InviteForm, RoleForm } from './person-forms.tsx'

type Acts = Readonly<{
  session: SignedIn | undefined
  onRole: (person: ListedPerson) => void
  onLink: (person: ListedPerson) => void
  onRemove: (person: ListedPerson) => void
}>

/** Why this person may not change that user; null where they may. */
const obstacle = (session: SignedIn | undefined, { id }: ListedPerson, { people: words }: Words): string | null => {
  if (session === undefined || (session.user.role !== 'owner' && session.user.role !== 'operator')) return words.ownersOnly
  return session.user.id === id ? words.notYourself : null
}

const columnsIn = (all: Words, { session, onRole, onLink, onRemove }: Acts): readonly Column<ListedPerson>[] => {
  const { people: words } = all
  return [
    { key: 'email', header: words.email, cell: ({ email }) => <bdi dir="ltr">{email}</bdi> },
    { key: 'role', header: words.role, cell: ({ role }) => <bdi lang="en">{role}</bdi> },
    { key: 'added', header: words.added, cell: ({ createdAt }) => <Time at={createdAt} inTable /> },
    {
      key: 'acts',
      header: words.acts,
      cell: (person) => {
        const why = obstacle(session, person, all)
        const closed = { disabled: why !== null, ...(why !== null && { title: why }) }
        const button = (verb: string, onPress: (person: ListedPerson) => void) => (
          <Button variant="default" size="compact-xs" onClick={() => onPress(person)} aria-label={`${verb}: ${person.email}`} {...closed}>
            {verb}
          </Button>
        )
        return (
          <Group gap="xs">
            {button(words.change, onRole)}
            {button(words.newLink, onLink)}
            {button(words.remove, onRemove)}
          </Group>
        )
      },
    },
  ]
}

/** Who may sign in to the workspace: invited, given another role, removed. */
export function Component() {
  const { words: all, language } = useSpoken()
  const { people: words } = all
  const { data: session } = useQuery(sessionQuery)
  const { data, error, refetch } = usePeople()
  const [isInviting, setInviting] = useState(false)
  const [changed, setChanged] = useState<ListedPerson | null>(null)
  const [removed, setRemoved] = useState<ListedPerson | null>(null)
  const [link, setLink] = useState<GivenLink | null>(null)
  const linking = useNewLink(setLink)
  const removing = useRemovePerson(() => setRemoved(null))
  const mayInvite = session?.user.role === 'owner' || session?.user.role === 'operator'
  const acts = {
    session,
    onRole: setChanged,
    onLink: ({ id, email }: ListedPerson) => linking.mutate({ id, email, language }),
    onRemove: setRemoved,
  }
  const invite = (
    <Button onClick={() => setInviting(true)} disabled={!mayInvite} {...(!mayInvite && { title: words.ownersOnly })}>
      {words.invite}
    </Button>
  )
  return (
    <Page title={words.title} actions={invite}>
      <FormDialog opened={isInviting} onClose={() => setInviting(false)} title={words.invite}>
        <InviteForm onClose={() => setInviting(false)} onInvited={({ link: { url }, ...invited }) => setLink({ ...invited, url })} />
      </FormDialog>
      <FormDialog opened={changed !== null} onClose={() => setChanged(null)} title={words.changeTitle}>
        {changed && <RoleForm person={changed} onClose={() => setChanged(null)} />}
      </FormDialog>
      <LinkOnce link={link} onDone={() => setLink(null)} />
      {linking.error && <Problem error={linking.error} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <DataTable label={words.title} columns={columnsIn(all, acts)} rows={data} rowKey={({ id }) => id} />}
      <Confirm
        opened={removed !== null}
        title={words.removeTitle}
        verb={words.remove}
        pending={removing.isPending}
        error={removing.error}
        onConfirm={() => removed && removing.mutate(removed.id)}
        onClose={() => setRemoved(null)}
      >
        <bdi dir="ltr">{removed?.email}</bdi>. {words.removeHelp}
      </Confirm>
    </Page>
  )
}
