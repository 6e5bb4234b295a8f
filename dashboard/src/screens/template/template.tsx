import { Button, Tabs } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useParams } from 'react-router'
import type { EditedTemplate } from '../../api/calls.ts'
import { ApiProblem } from '../../api/client.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CopyId } from '../../ui/copy.tsx'
import { History } from '../../ui/history.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useLead } from '../../ui/use-lead.ts'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { AFTER_SAVE, unlessTyped, useUnsaved } from '../../ui/use-unsaved.ts'
import { useWords } from '../../words/words.tsx'
import { Conflict } from './conflict.tsx'
import { asText, type Draft, draftOf, isSame } from './draft.ts'
import { Duplicate } from './duplicate.tsx'
import { mergeWords } from './merge-words.ts'
import { Preview } from './preview.tsx'
import { SendTest } from './send-test.tsx'
import { keyOf, pathOf, useCheck, useCustomFields, useMove, useSave, useTemplate } from './template.api.ts'
import styles from './template.module.css'
import { TextsForm } from './texts-form.tsx'

/** A template: its texts beside what a person would get of them, and its history. */
export function Component() {
  const { templates, template: words } = useWords()
  const slug = useSlug()
  const { id = '' } = useParams()
  const { data, error, refetch } = useTemplate(id)
  if (data) return <Editing key={id} template={data} onReread={async () => (await refetch()).data} />
  return (
    <Page title={words.title} back={{ to: paths.templates(slug), text: templates.title }}>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />}
    </Page>
  )
}

type Props = Readonly<{ template: EditedTemplate; onReread: () => Promise<EditedTemplate | undefined> }>

/** `known` is the state that the form was filled from, whatever is read again meanwhile: a save is judged by that. */
function useDraft({ template, onReread }: Props) {
  const [known, setKnown] = useState(template)
  const [draft, setDraft] = useState(() => draftOf(template.content))
  const [theirs, setTheirs] = useState<EditedTemplate | null>(null)
  const [note, setNote] = useState<number | null>(null)
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const saving = useSave(template.id)
  const take = (next: EditedTemplate): void => {
    setKnown(next)
    setDraft(draftOf(next.content))
    setTheirs(null)
  }
  const save = (over: EditedTemplate): void =>
    saving.mutate(
      { template: over, draft, idempotencyKey },
      {
        onSuccess: ({ data }) => {
          setKnown(data)
          setTheirs(null)
          setDraft(unlessTyped(draft, draftOf(data.content)))
          setNote(data.version)
        },
        onError: async (error) => {
          onError(error)
          if (error instanceof ApiProblem && error.code === 'changed_meanwhile') setTheirs((await onReread()) ?? null)
        },
      },
    )
  const change = (next: Draft): void => {
    setDraft(next)
    setNote(null)
    renew()
  }
  /** A move of this page, while something is not saved: the texts are still those that the form began with. */
  const moved = (next: EditedTemplate): void => {
    if (isSame(draftOf(next.content), draftOf(known.content))) setKnown(next)
  }
  const isSaved = isSame(draft, draftOf(known.content))
  useUnsaved(!isSaved)
  useEffect(() => {
    if (!isSaved || template.etag === known.etag) return
    setKnown(template)
    setDraft(draftOf(template.content))
  }, [isSaved, template, known])
  return { known, draft, theirs, note, saving, isSaved, take, moved, save, change }
}

function Editing({ template, onReread }: Props) {
  const { templates, template: words, channels } = useWords()
  const slug = useSlug()
  const lead = useLead()
  const [isCopying, copying] = useDisclosure(false)
  const [contactId, setContactId] = useState<string | null>(null)
  const { known, draft, theirs, note, saving, isSaved, take, moved, save, change } = useDraft({ template, onReread })
  const [settled] = useDebouncedValue(draft, 400)
  const check = useCheck({ channel: template.channel, draft: settled, contactId })
  const { data: fields = [] } = useCustomFields()
  const mergeTags = mergeWords(fields, check.data?.mergeFields ?? [], words.sources)
  const queries = useQueryClient()
  const restored = (next: EditedTemplate): void => {
    queries.setQueryData(keyOf(next.id), next)
    take(next)
  }
  const isConflict = theirs !== null && theirs.etag !== known.etag
  return (
    <Page
      title={template.name}
      back={{ to: paths.templates(slug), text: templates.title }}
      aside={<CopyId id={template.id} />}
      actions={
        <>
          <Button
            loading={saving.isPending}
            disabled={isSaved || isConflict}
            title={isSaved ? words.nothingToSave : ''}
            onClick={() => save(known)}
          >
            {words.save}
          </Button>
          <Button variant="default" onClick={copying.open}>
            {words.duplicate}
          </Button>
          <Archive template={template} onMoved={moved} />
        </>
      }
    >
      <p className={styles.muted}>
        {channels[template.channel]} · {template.archived && `○ ${words.archived} · `}
        {words.versionOf(template.version)}, <bdi dir="ltr">{template.changedBy}</bdi>, <Time at={template.changedAt} />
      </p>
      <p role="status" className={styles.good}>
        {note !== null && isSaved && words.savedAs(note)}
      </p>
      {saving.error && !isConflict && <Problem error={saving.error} />}
      {isConflict && (
        <Conflict theirs={theirs} mine={draft} pending={saving.isPending} onTheirs={() => take(theirs)} onMine={() => save(theirs)} />
      )}
      <SendTest template={template} isSaved={isSaved} />
      <Duplicate
        opened={isCopying}
        {...{ template, draft }}
        onClose={copying.close}
        onDone={(id) => lead(paths.template(slug, id), { state: AFTER_SAVE })}
      />
      <Tabs defaultValue="write" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="write">{words.write}</Tabs.Tab>
          <Tabs.Tab value="history">{words.history}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="write">
          <div className={styles.columns}>
            <TextsForm channel={template.channel} draft={draft} words={mergeTags} onChange={change} />
            <Preview
              channel={template.channel}
              draft={settled}
              checked={check.data}
              error={check.error}
              onRetry={() => void check.refetch()}
              contactId={contactId}
              onPerson={setContactId}
            />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <History<EditedTemplate, EditedTemplate['content']>
            path={pathOf(template.id)}
            queryKey={keyOf(template.id)}
            record={template}
            now={asText(template.channel, draftOf(template.content))}
            asText={(content) => asText(template.channel, draftOf(content))}
            isSaved={isSaved}
            onRestored={restored}
          />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

function Archive({ template, onMoved }: Readonly<{ template: EditedTemplate; onMoved: (moved: EditedTemplate) => void }>) {
  const { template: words } = useWords()
  const moving = useMove(template.id)
  const move = (): void => moving.mutate(template.archived ? 'restore' : 'archive', { onSuccess: ({ data }) => onMoved(data) })
  return (
    <>
      <Button variant="default" loading={moving.isPending} onClick={move}>
        {template.archived ? words.useAgain : words.archive}
      </Button>
      {moving.error && <Problem error={moving.error} />}
    </>
  )
}
