import { Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { SystemSender } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { paths } from '../paths.ts'
import type { Words } from '../words/en.ts'
import { useWords } from '../words/words.tsx'
import { Confirm } from './confirm.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { Problem } from './problem.tsx'
import { Status } from './status.tsx'

type Decision = SystemSender['decisions'][number]
type Decided = Readonly<{ sender: SystemSender; decision: Decision; reason?: string }>

/** What is shown is read again after a refusal too: somebody else may have been faster. */
function useDecide(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ sender: { kind, id, etag, workspace }, decision, reason = '' }: Decided) =>
      client.write<SystemSender>('/dashboard/system/sender', {
        body: { kind, id, decision, ...(reason.trim() !== '' && { reason }) },
        ifMatch: etag,
        workspace,
      }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.system }),
  })
}

const columnsIn = (all: Words, showsWorkspace: boolean, onDecide: (decided: Decided) => void): readonly Column<SystemSender>[] => {
  const { approvals: words, ui } = all
  const workspace: Column<SystemSender> = {
    key: 'workspace',
    header: words.workspace,
    cell: ({ workspace: slug, workspaceName }) => (
      <Link to={paths.systemWorkspace(slug)}>
        <bdi>{workspaceName}</bdi>
      </Link>
    ),
  }
  return [
    { key: 'sender', header: words.sender, cell: ({ name }) => <bdi dir="ltr">{name}</bdi> },
    ...(showsWorkspace ? [workspace] : []),
    { key: 'kind', header: words.kind, cell: ({ kind }) => words.kinds[kind] },
    { key: 'status', header: words.status, cell: ({ status }) => <Status word={status} /> },
    { key: 'note', header: words.note, cell: ({ note }) => <bdi>{note ?? ui.none}</bdi> },
    {
      key: 'decisions',
      header: words.decisions,
      cell: (sender) => (
        <Group gap="xs">
          {sender.decisions.map((decision) => (
            <Button
              key={decision}
              variant="default"
              size="compact-xs"
              onClick={() => onDecide({ sender, decision })}
              aria-label={`${words[decision][sender.kind]}: ${sender.name}`}
            >
              {words[decision][sender.kind]}
            </Button>
          ))}
        </Group>
      ),
    },
  ]
}

type Props = Readonly<{ label: string; senders: readonly SystemSender[]; showsWorkspace: boolean }>

/** Senders, with what an operator may decide about each. What takes something from a workspace asks first. */
export function SenderDecisions({ label, senders, showsWorkspace }: Props) {
  const all = useWords()
  const [asked, setAsked] = useState<Decided | null>(null)
  const deciding = useDecide(() => setAsked(null))
  const onDecide = (decided: Decided): void => {
    deciding.reset()
    if (decided.decision === 'approve') deciding.mutate(decided)
    else setAsked(decided)
  }
  return (
    <>
      <span role="status">{deciding.isSuccess && all.approvals.decided(deciding.data.data.name)}</span>
      {deciding.error && asked === null && <Problem error={deciding.error} />}
      {senders.length > 0 && (
        <DataTable
          label={label}
          columns={columnsIn(all, showsWorkspace, onDecide)}
          rows={senders}
          rowKey={({ workspace, kind, id }) => `${workspace} ${kind} ${id}`}
        />
      )}
      {asked && (
        <AskedDecision
          decided={asked}
          pending={deciding.isPending}
          error={deciding.error}
          onConfirm={(reason) => deciding.mutate({ ...asked, reason })}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

type AskedProps = Readonly<{
  decided: Decided
  pending: boolean
  error: Error | null
  onConfirm: (reason: string) => void
  onClose: () => void
}>

function AskedDecision({ decided: { sender, decision }, pending, error, onConfirm, onClose }: AskedProps) {
  const { approvals: words } = useWords()
  const [reason, setReason] = useState('')
  const takesReason = decision === 'refuse' && sender.kind === 'sms'
  const verb = words[decision][sender.kind]
  return (
    <Confirm
      opened
      title={`${verb}: ${sender.name}`}
      verb={verb}
      pending={pending}
      error={error}
      onConfirm={() => onConfirm(reason)}
      onClose={onClose}
      field={
        takesReason && (
          <TextInput
            label={words.reason}
            description={words.reasonHelp}
            dir="auto"
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        )
      }
    >
      {words[decision === 'withdraw' ? 'withdrawHelp' : 'refuseHelp'][sender.kind]}
    </Confirm>
  )
}
