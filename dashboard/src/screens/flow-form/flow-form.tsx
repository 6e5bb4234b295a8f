import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import type { ShownFlow } from '../../api/calls.ts'
import { ApiProblem } from '../../api/client.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { ChangedMeanwhile } from '../../ui/changed-meanwhile.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useAfterSave, useUnsaved } from '../../ui/use-unsaved.ts'
import { useWords } from '../../words/words.tsx'
import { type Draft, draftOf, emptyDraft, writtenFlow } from './draft.ts'
import { useSaveFlow, useSource } from './flow-form.api.ts'
import styles from './flow-form.module.css'
import { Outline } from './outline.tsx'
import { mistakeIn, problemsIn, stepNamed } from './problems.ts'
import { TriggerFields } from './trigger-fields.tsx'
import { Try } from './try.tsx'
import { useTrial } from './use-trial.ts'

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
      {id === undefined && <Form key="new" read={null} readAgain={async () => null} />}
      {data && <Form key={data.id} read={data} readAgain={async () => (await refetch()).data ?? null} />}
    </Page>
  )
}

type FormProps = Readonly<{ read: ShownFlow | null; readAgain: () => Promise<ShownFlow | null> }>

/** `known`: the state that the form was filled from, whatever is read again meanwhile; a save is judged by that. */
function Form({ read, readAgain }: FormProps) {
  const { flowForm: words, ui } = useWords()
  const slug = useSlug()
  const [known, setKnown] = useState(read)
  const [first, setFirst] = useState(() => (known === null ? emptyDraft : draftOf(known)))
  const [draft, setDraft] = useState(first)
  const [open, setOpen] = useState<string | null>(null)
  const [isAsked, setAsked] = useState(false)
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const { hasStayed, sends, moveOn } = useAfterSave(draft)
  const fillFrom = (saved: ShownFlow): Draft => {
    const next = draftOf(saved)
    setKnown(saved)
    setFirst(next)
    return next
  }
  const saving = useSaveFlow((saved) => moveOn({ path: paths.flow(slug, saved.id), replace: known !== null, stay: () => fillFrom(saved) }))
  const trying = useTrial(draft, known?.id ?? null)
  useUnsaved(draft !== first)
  const change = (next: Draft): void => {
    setDraft(next)
    renew()
    if (saving.error) saving.reset()
  }
  const mistake = mistakeIn(draft)
  const save = (over: ShownFlow | null): void => {
    setAsked(true)
    sends()
    if (mistake === null) saving.mutate({ name: draft.name.trim(), body: writtenFlow(draft), known: over, idempotencyKey }, { onError })
    else if (mistake === 'steps') setOpen([...problemsIn(draft.steps).keys()][0] ?? null)
  }
  const takeTheirs = (theirs: ShownFlow): void => {
    change(fillFrom(theirs))
  }
  const keepMine = (theirs: ShownFlow): void => {
    setKnown(theirs)
    save(theirs)
  }
  const conflict = saving.error instanceof ApiProblem && saving.error.code === 'changed_meanwhile' ? saving.error : null
  const settle = async (choose: (theirs: ShownFlow) => void): Promise<void> => {
    const theirs = await readAgain()
    if (theirs !== null) choose(theirs)
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
        tried={trying.tried}
      />
      <Try trying={trying} isEvent={draft.trigger.type === 'custom_event'} />
      <p className={styles.quiet}>{known === null ? words.startsAtOnce : words.newVersion(known.inside)}</p>
      {shown !== null && <p role="alert">▲ {words.mistakes[shown]}</p>}
      {hasStayed && <p role="status">{ui.savedBefore}</p>}
      {saving.error && conflict === null && <Problem error={saving.error} />}
      {conflict && (
        <ChangedMeanwhile problem={conflict} onTake={() => void settle(takeTheirs)} onKeep={() => void settle(keepMine)}>
          <p>{words.changedHelp}</p>
        </ChangedMeanwhile>
      )}
      <div>
        <Button onClick={() => save(known)} loading={saving.isPending}>
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
