import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WorkspaceSettings } from '../../api/calls.ts'
import { sessionQuery } from '../../app/session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NEXT_STATUSES } from '../../ui/next-statuses.ts'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { useWords } from '../../words/words.tsx'
import { generalBody, generalDraft, marketingBody, marketingDraft, marketingMistake, repliesBody, repliesDraft } from './draft.ts'
import { GeneralFields, MarketingFields, ReplyFields } from './fields.tsx'
import { SectionForm } from './section-form.tsx'
import { useChangeStatus, useWorkspace } from './settings-workspace.api.ts'
import styles from './settings-workspace.module.css'

/** What the workspace is called, how it sends marketing, and what it answers. Admins look, owners change. */
export function Component() {
  const { workspace: words } = useWords()
  const { data: session } = useQuery(sessionQuery)
  const { data, error, refetch } = useWorkspace()
  const role = session?.user.role
  const mayChange = role === 'owner' || role === 'operator'
  return (
    <Page title={words.title} aside={data && <CopyId id={data.id} />}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <Facts
            items={[
              [
                words.slug,
                <bdi key="slug" dir="ltr">
                  {data.slug}
                </bdi>,
              ],
              [
                words.plan,
                <bdi key="plan" lang="en">
                  {data.plan}
                </bdi>,
              ],
              [words.status, <Status key="status" word={data.status} />],
            ]}
          />
          {!mayChange && <p className={styles.quiet}>{words.ownersOnly}</p>}
          <Sections settings={data} mayChange={mayChange} />
          {session?.operator && <WorkspaceStatus settings={data} />}
        </>
      )}
    </Page>
  )
}

function Sections({ settings, mayChange }: Readonly<{ settings: WorkspaceSettings; mayChange: boolean }>) {
  const { workspace: words } = useWords()
  const of = { settings, mayChange }
  return (
    <>
      <SectionForm {...of} name="general" draftOf={generalDraft} bodyOf={generalBody}>
        {(draft, change) => <GeneralFields draft={draft} onChange={change} />}
      </SectionForm>
      <SectionForm
        {...of}
        name="marketing"
        draftOf={marketingDraft}
        bodyOf={marketingBody}
        mistake={(draft) => {
          const mistake = marketingMistake(draft)
          return mistake && words.mistakes[mistake]
        }}
      >
        {(draft, change) => <MarketingFields draft={draft} onChange={change} />}
      </SectionForm>
      <SectionForm {...of} name="replies" draftOf={repliesDraft} bodyOf={repliesBody}>
        {(draft, change) => <ReplyFields draft={draft} onChange={change} />}
      </SectionForm>
    </>
  )
}

type WorkspaceState = WorkspaceSettings['status']

function WorkspaceStatus({ settings: { slug, status } }: Readonly<{ settings: WorkspaceSettings }>) {
  const { workspace: words } = useWords()
  const [wanted, setWanted] = useState<WorkspaceState | null>(null)
  const changing = useChangeStatus(() => setWanted(null))
  const shown = wanted ?? status
  return (
    <Section title={words.status}>
      <Group>
        {NEXT_STATUSES[status].map((next) => (
          <Button key={next} variant="default" onClick={() => setWanted(next)}>
            {words.moves[next]}
          </Button>
        ))}
      </Group>
      <Confirm
        key={wanted}
        opened={wanted !== null}
        title={`${words.moves[shown]}: ${slug}`}
        verb={words.moves[shown]}
        dangerous={wanted !== 'active'}
        {...(wanted === 'closed' && { word: slug })}
        pending={changing.isPending}
        error={changing.error}
        onConfirm={() => wanted && changing.mutate({ status: wanted, ...(wanted === 'closed' && { slug }) })}
        onClose={() => setWanted(null)}
      >
        {words.moveHelp[shown]}
      </Confirm>
    </Section>
  )
}
