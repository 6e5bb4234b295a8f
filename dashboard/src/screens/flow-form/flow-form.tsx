import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { ShownFlow } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useUnsaved } from '../../ui/use-unsaved.ts'
import { useWords } from '../../words/words.tsx'
import { type Draft, draftOf, emptyDraft, writtenFlow } from './draft.ts'
import { useSaveFlow, useSource } from './flow-form.api.ts'
import styles from './flow-form.module.css'
import { Outline } from './outline.tsx'
import { mistakeIn, problemsIn, stepNamed } from './problems.ts'
import { TriggerFields } from './trigger-fields.tsx'

/** A new flow, or another version of one that is there. */
export function Component() {
  const { flowForm: words, flows } = useWords()
  const slug = useSlug()
  const { id } = useParams()
  const { data, error, refetch } = useSource(id)
  const back = id === undefined ? { to: paths.flows(slug), text: flows.title } : { to: paths.flow(slug, id), text: data?.name ?? flows.one }
  return (
    <Page title={id === undefined ? words.newTitle : words.editTitle(data?.name ?? flows.one)} back={back}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {id !== undefined && data === undefined && !error && <Loading />}
      {id === undefined && <Form key="new" read={null} />}
      {data && <Form key={data.id} read={data} />}
    </Page>
  )
}

/** `known`: the state that the form was filled from, whatever is read again meanwhile; a save is judged by that. */
function Form({ read }: Readonly<{ read: ShownFlow | null }>) {
  const { flowForm: words } = useWords()
  const slug = useSlug()
  const navigate = useNavigate()
  const [known] = useState(read)
  const [first] = useState(() => (known === null ? emptyDraft : draftOf(known)))
  const [draft, setDraft] = useState(first)
  const [open, setOpen] = useState<string | null>(null)
  const [isAsked, setAsked] = useState(false)
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const saving = useSaveFlow(({ id }) => navigate(paths.flow(slug, id), { replace: known !== null }))
  useUnsaved(draft !== first)
  const change = (next: Draft): void => {
    setDraft(next)
    renew()
  }
  const mistake = mistakeIn(draft)
  const save = (): void => {
    setAsked(true)
    if (mistake === null) saving.mutate({ name: draft.name.trim(), body: writtenFlow(draft), known, idempotencyKey }, { onError })
    else if (mistake === 'steps') setOpen([...problemsIn(draft.steps).keys()][0] ?? null)
  }
  const shown = isAsked ? mistake : null
  return (
    <div className={styles.form}>
      {known === null && <NameField draft={draft} onChange={change} isMissing={shown === 'name'} />}
      <TriggerFields draft={draft} onChange={change} mistake={shown} />
      <Outline
        steps={draft.steps}
        onChange={(steps) => change({ ...draft, steps })}
        open={open}
        onOpen={setOpen}
        refused={saving.error && stepNamed(draft.steps, saving.error.message)}
      />
      <p className={styles.quiet}>{known === null ? words.startsAtOnce : words.newVersion(known.inside)}</p>
      {shown !== null && <p role="alert">▲ {words.mistakes[shown]}</p>}
      {saving.error && <Problem error={saving.error} />}
      <div>
        <Button onClick={save} loading={saving.isPending}>
          {known === null ? words.create : words.save}
        </Button>
      </div>
    </div>
  )
}

type NameProps = Readonly<{ draft: Draft; onChange: (draft: Draft) => void; isMissing: boolean }>

function NameField({ draft, onChange, isMissing }: NameProps) {
  const { flowForm: words, lists, rules } = useWords()
  return (
    <TextInput
      label={lists.name}
      description={rules.nameHelp}
      dir="auto"
      maxLength={255}
      value={draft.name}
      error={isMissing && words.mistakes.name}
      onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
    />
  )
}
