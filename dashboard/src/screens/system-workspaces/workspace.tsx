import { Button, NativeSelect, TextInput } from '@mantine/core'
import { isVisible } from '@tidings/domain'
import { type FormEvent, useState } from 'react'
import { useParams } from 'react-router'
import type { SystemWorkspaceDetail } from '../../api/calls.ts'
import { paths } from '../../paths.ts'
import { AddCredits } from '../../ui/add-credits.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NEXT_STATUSES } from '../../ui/next-statuses.ts'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Section } from '../../ui/section.tsx'
import { SenderDecisions } from '../../ui/sender-decisions.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { InviteOwner } from './invite-owner.tsx'
import { PLANS, useChangePlan, useCreateKeyOf, useMoveWorkspace, useSystemWorkspace, type WorkspaceStatus } from './workspaces.api.ts'

/** One workspace: its status, its plan, its credits and its senders. */
export function Component() {
  const { nav, systemWorkspaces: words } = useWords()
  const { slug = '' } = useParams()
  const { data, error, refetch } = useSystemWorkspace(slug)
  return (
    <Page
      title={data?.name ?? slug}
      back={{ to: paths.systemWorkspaces(), text: nav.workspaces }}
      aside={data && <CopyId id={data.id} />}
      actions={data && <Acts workspace={data} />}
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <About workspace={data} />
          <Section title={words.senders}>
            {data.senders.length === 0 && <p>{words.noSenders}</p>}
            <SenderDecisions label={words.senders} senders={data.senders} showsWorkspace={false} />
          </Section>
        </>
      )}
    </Page>
  )
}

type OfWorkspace = Readonly<{ workspace: SystemWorkspaceDetail }>

function About({ workspace: { slug, plan, status, statusReason, createdAt, profiles, credits } }: OfWorkspace) {
  const { systemWorkspaces: words, workspace, locale } = useWords()
  return (
    <Facts
      items={[
        [
          workspace.slug,
          <bdi key="slug" dir="ltr">
            {slug}
          </bdi>,
        ],
        [
          workspace.plan,
          <bdi key="plan" lang="en">
            {plan}
          </bdi>,
        ],
        [workspace.status, <Status key="status" word={status} />],
        ...(statusReason === null ? [] : [[words.statusReason, <bdi key="reason">{statusReason}</bdi>] as const]),
        [words.created, <Time key="created" at={createdAt} />],
        [words.profiles, profiles.toLocaleString(locale)],
        [words.available, credits.available.toLocaleString(locale)],
        [words.held, credits.held.toLocaleString(locale)],
      ]}
    />
  )
}

function Acts({ workspace }: OfWorkspace) {
  const { systemWorkspaces: words, workspace: settings, credits, tokens } = useWords()
  const [dialog, setDialog] = useState<WorkspaceStatus | 'plan' | 'credits' | 'key' | 'owner' | null>(null)
  const close = (): void => setDialog(null)
  const move = NEXT_STATUSES[workspace.status].find((next) => next === dialog)
  return (
    <>
      {workspace.status === 'active' && (
        <>
          <Button onClick={() => setDialog('credits')}>{credits.add}</Button>
          <Button variant="default" onClick={() => setDialog('key')}>
            {tokens.add}
          </Button>
          <Button variant="default" onClick={() => setDialog('owner')}>
            {words.inviteOwner}
          </Button>
        </>
      )}
      <Button variant="default" onClick={() => setDialog('plan')}>
        {words.changePlan}
      </Button>
      {NEXT_STATUSES[workspace.status].map((next) => (
        <Button key={next} variant="default" onClick={() => setDialog(next)}>
          {settings.moves[next]}
        </Button>
      ))}
      <AddCredits opened={dialog === 'credits'} workspace={workspace.slug} onClose={close} />
      <FormDialog opened={dialog === 'plan'} onClose={close} title={words.changePlan}>
        <PlanForm workspace={workspace} onClose={close} />
      </FormDialog>
      <InviteOwner slug={dialog === 'owner' ? workspace.slug : null} onClose={close} />
      <NewKey opened={dialog === 'key'} slug={workspace.slug} onClose={close} />
      {move && <Move slug={workspace.slug} status={move} onClose={close} />}
    </>
  )
}

function PlanForm({ workspace, onClose }: OfWorkspace & Readonly<{ onClose: () => void }>) {
  const { systemWorkspaces: words, workspace: settings } = useWords()
  const [plan, setPlan] = useState<string>(workspace.plan)
  const changing = useChangePlan(workspace, onClose)
  const wanted = PLANS.find((one) => one === plan)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (wanted !== undefined) changing.mutate(wanted)
  }
  return (
    <form onSubmit={submit}>
      <NativeSelect label={settings.plan} value={plan} data={[...PLANS]} onChange={(event) => setPlan(event.currentTarget.value)} />
      {changing.error && <Problem error={changing.error} />}
      <FormButtons verb={words.changePlanVerb} pending={changing.isPending} disabled={plan === workspace.plan} onClose={onClose} />
    </form>
  )
}

/** For a workspace whose first key was never seen, or is lost. */
function NewKey({ opened, slug, onClose }: Readonly<{ opened: boolean; slug: string; onClose: () => void }>) {
  const { systemWorkspaces: words, tokens } = useWords()
  const [secret, setSecret] = useState<string | null>(null)
  const creating = useCreateKeyOf(slug, (key) => {
    onClose()
    setSecret(key)
  })
  return (
    <>
      <Confirm
        opened={opened}
        title={words.keyFor(slug)}
        verb={tokens.create}
        dangerous={false}
        pending={creating.isPending}
        error={creating.error}
        onConfirm={() => creating.mutate()}
        onClose={onClose}
      >
        {words.keyForHelp}
      </Confirm>
      <SecretOnce secret={secret} title={words.keyOf(slug)} help={tokens.keyHelp} done={tokens.done} onDone={() => setSecret(null)} />
    </>
  )
}

/** A workspace that stops working does so for a reason. */
function Move({ slug, status, onClose }: Readonly<{ slug: string; status: WorkspaceStatus; onClose: () => void }>) {
  const { systemWorkspaces: words, workspace: settings } = useWords()
  const [reason, setReason] = useState('')
  const moving = useMoveWorkspace(slug, onClose)
  const stops = status !== 'active'
  return (
    <Confirm
      opened
      title={`${settings.moves[status]}: ${slug}`}
      verb={settings.moves[status]}
      dangerous={stops}
      {...(status === 'closed' && { word: slug })}
      field={
        <TextInput
          label={words.reason}
          description={words.reasonHelp}
          dir="auto"
          maxLength={500}
          required={stops}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      }
      disabled={stops && !isVisible(reason)}
      pending={moving.isPending}
      error={moving.error}
      onConfirm={() => moving.mutate({ status, reason })}
      onClose={onClose}
    >
      {settings.moveHelp[status]}
    </Confirm>
  )
}
