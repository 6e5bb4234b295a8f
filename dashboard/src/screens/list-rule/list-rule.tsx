import { Button, Textarea, TextInput } from '@mantine/core'
import { parseRule, type Rule, RuleMistake } from '@tidings/domain'
import { type FormEvent, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { EditedList } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useUnsaved } from '../../ui/use-unsaved.ts'
import { useWords } from '../../words/words.tsx'
import { type DraftGroup, draftOf, fitsForm, hasRoom, newGroup, replaced, ruleOf, without } from './draft.ts'
import { Group } from './group.tsx'
import { useEditedList, useSaveRule } from './list-rule.api.ts'
import styles from './list-rule.module.css'
import { Matches } from './matches.tsx'

/** The rule of a dynamic list, or a new list with its rule. */
export function Component() {
  const { rules: words, lists } = useWords()
  const slug = useSlug()
  const { id } = useParams()
  const { data, error, refetch } = useEditedList(id)
  if (id === undefined) return <Editing key="new" list={null} />
  if (data?.type === 'dynamic') return <Editing key={id} list={data} />
  return (
    <Page title={words.title} back={{ to: paths.list(slug, id), text: lists.back }}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <p>{words.isStatic}</p>}
    </Page>
  )
}

type Read = Readonly<{ rule: Rule; mistake: null } | { rule: null; mistake: string }>

/** The rule that `read` gives, or the sentence that says why it is none: what the API would say. */
const readRule = (read: () => unknown): Read => {
  try {
    return { rule: parseRule(read()), mistake: null }
  } catch (error) {
    if (!(error instanceof RuleMistake || error instanceof SyntaxError)) throw error
    return { rule: null, mistake: error.message }
  }
}

/** `text`: the rule as JSON, while it is written so; one that the form cannot show begins so, and stays so. */
function useRule(list: EditedList | null) {
  const [stored] = useState(() => (list?.rule ? parseRule(list.rule) : null))
  const [draft, setDraft] = useState<DraftGroup>(() => (stored === null ? newGroup('all') : draftOf(stored)))
  const [text, setText] = useState(() => (stored === null || fitsForm(stored) ? null : asJson(stored)))
  const read = readRule(() => (text === null ? ruleOf(draft) : JSON.parse(text)))
  const mayToggle = text === null || (read.rule !== null && fitsForm(read.rule))
  const toggle = (): void => {
    if (text === null) setText(asJson(ruleOf(draft)))
    else if (read.rule !== null) {
      setDraft(draftOf(read.rule))
      setText(null)
    }
  }
  return { draft, setDraft, text, setText, toggle, mayToggle, ...read }
}

const asJson = (rule: unknown): string => JSON.stringify(rule, null, 2)

/** `known`: the state that the form was filled from, whatever is read again meanwhile; a save is judged by that. */
function Editing({ list }: Readonly<{ list: EditedList | null }>) {
  const { rules: words, lists } = useWords()
  const slug = useSlug()
  const navigate = useNavigate()
  const [known] = useState(list)
  const [name, setName] = useState('')
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const { draft, setDraft, text, setText, toggle, mayToggle, rule, mistake } = useRule(known)
  const [first] = useState({ draft, text })
  const saving = useSaveRule(({ id }) => navigate(paths.list(slug, id)))
  useUnsaved(name !== '' || text !== first.text || draft !== first.draft)
  const change = (next: DraftGroup): void => {
    setDraft(next)
    renew()
  }
  const isReady = rule !== null && (known !== null || name.trim() !== '')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (rule !== null && isReady) saving.mutate({ name: name.trim(), rule, known, idempotencyKey }, { onError })
  }
  return (
    <Page
      title={known === null ? words.newTitle : words.ruleOf(known.name)}
      back={known === null ? { to: paths.lists(slug), text: lists.back } : { to: paths.list(slug, known.id), text: known.name }}
    >
      <form className={styles.form} onSubmit={submit}>
        {known === null && (
          <TextInput
            label={lists.name}
            description={words.nameHelp}
            dir="auto"
            maxLength={255}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value)
              renew()
            }}
          />
        )}
        {text === null ? (
          <Group
            group={draft}
            number=""
            depth={1}
            hasRoom={hasRoom(draft)}
            onChange={(part) => change(replaced(draft, part))}
            onRemove={(key) => change(without(draft, key))}
          />
        ) : (
          <Textarea
            label={words.json}
            dir="ltr"
            rows={14}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              renew()
            }}
          />
        )}
        <div>
          <Button variant="default" onClick={toggle} disabled={!mayToggle} title={mayToggle ? '' : words.onlyJson}>
            {text === null ? words.asJson : words.asForm}
          </Button>
        </div>
        {mistake !== null && (
          <p role="status">
            <bdi lang="en">{mistake}</bdi>
          </p>
        )}
        <Matches rule={rule} />
        {saving.error && <Problem error={saving.error} />}
        <div>
          <Button type="submit" loading={saving.isPending} disabled={!isReady} title={isReady ? '' : words.notYet}>
            {known === null ? words.create : words.save}
          </Button>
        </div>
      </form>
    </Page>
  )
}
