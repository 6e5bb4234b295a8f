import { Button, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import type { ApiKey } from '../../api/calls.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useCreateToken, useEndToken, useTokens } from './tokens.api.ts'

const columnsIn = ({ tokens: words }: Words, onEnd: (key: ApiKey) => void): readonly Column<ApiKey>[] => [
  { key: 'name', header: words.name, cell: ({ name }) => <bdi>{name}</bdi> },
  { key: 'kind', header: words.kind, cell: ({ kind }) => <bdi lang="en">{kind}</bdi> },
  { key: 'prefix', header: words.prefix, cell: ({ prefix }) => <code dir="ltr">{prefix}…</code> },
  { key: 'status', header: words.status, cell: ({ status }) => <Status word={status} /> },
  { key: 'used', header: words.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt === null ? words.never : <Time at={lastUsedAt} inTable />) },
  { key: 'created', header: words.created, cell: ({ createdAt }) => <Time at={createdAt} inTable /> },
  {
    key: 'end',
    header: words.revoke,
    cell: (key) => {
      const verb = key.status === 'active' ? words.revoke : words.remove
      return (
        <Button variant="default" size="compact-xs" onClick={() => onEnd(key)} aria-label={`${verb}: ${key.name}`}>
          {verb}
        </Button>
      )
    },
  },
]

/** The keys of the workspace: made, shown once, revoked. */
export function Component() {
  const words = useWords()
  const { tokens } = words
  const [isNew, { open, close }] = useDisclosure(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [ended, setEnded] = useState<ApiKey | null>(null)
  const { data, error, refetch } = useTokens()
  const ending = useEndToken(() => setEnded(null))
  const isActive = ended?.status === 'active'
  return (
    <Page title={tokens.title} actions={<Button onClick={open}>{tokens.add}</Button>}>
      <NewToken opened={isNew} onClose={close} onCreated={setSecret} />
      <SecretOnce secret={secret} title={tokens.keyTitle} help={tokens.keyHelp} done={tokens.done} onDone={() => setSecret(null)} />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.length === 0 && <Empty text={tokens.empty} action={<Button onClick={open}>{tokens.add}</Button>} />}
      {data && data.length > 0 && (
        <DataTable label={tokens.title} columns={columnsIn(words, setEnded)} rows={data} rowKey={({ id }) => id} />
      )}
      <Confirm
        opened={ended !== null}
        title={isActive ? tokens.revokeTitle : tokens.removeTitle}
        verb={isActive ? tokens.revoke : tokens.remove}
        pending={ending.isPending}
        error={ending.error}
        onConfirm={() => ended && ending.mutate(ended)}
        onClose={() => setEnded(null)}
      >
        <bdi>{ended?.name}</bdi>. {isActive ? tokens.revokeHelp : tokens.removeHelp}
      </Confirm>
    </Page>
  )
}

type NewProps = Readonly<{ opened: boolean; onClose: () => void; onCreated: (secret: string) => void }>

function NewToken({ opened, onClose, onCreated }: NewProps) {
  const { tokens: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.add}>
      <TokenForm onClose={onClose} onCreated={onCreated} />
    </FormDialog>
  )
}

function TokenForm({ onClose, onCreated }: Omit<NewProps, 'opened'>) {
  const { tokens: words } = useWords()
  const [name, setName] = useState('')
  const creating = useCreateToken(({ key }) => {
    onClose()
    onCreated(key)
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    creating.mutate(name)
  }
  return (
    <form onSubmit={submit}>
      <TextInput label={words.name} value={name} maxLength={255} data-autofocus onChange={(event) => setName(event.currentTarget.value)} />
      {creating.error && <Problem error={creating.error} />}
      <FormButtons verb={words.create} pending={creating.isPending} onClose={onClose} />
    </form>
  )
}
