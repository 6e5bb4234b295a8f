import { NativeSelect } from '@mantine/core'
import { TAG_COLORS } from '@tidings/domain'
import type { FormEvent } from 'react'
import type { ShownTag } from '../../api/calls.ts'
import { ChangedMeanwhile } from '../../ui/changed-meanwhile.tsx'
import { FormButtons } from '../../ui/form-dialog.tsx'
import { NewRecordForm } from '../../ui/new-record-form.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { useWords } from '../../words/words.tsx'
import { TagBadge } from './tag-badge.tsx'
import { type TagColor, useCreateTag, useEditTag } from './tags.api.ts'
import styles from './tags.module.css'

type Props = Readonly<{ onClose: () => void }>
type ColorProps = Readonly<{ value: TagColor | null; onChange: (color: TagColor | null) => void }>

function ColorField({ value, onChange }: ColorProps) {
  const { tags: words } = useWords()
  return (
    <NativeSelect
      label={words.color}
      value={value ?? ''}
      data={[{ value: '', label: words.noColor }, ...TAG_COLORS.map((color) => ({ value: color, label: words.colors[color] }))]}
      onChange={(event) => onChange(TAG_COLORS.find((color) => color === event.currentTarget.value) ?? null)}
    />
  )
}

export function NewTag({ onClose }: Props) {
  const { tags: words } = useWords()
  const creating = useCreateTag(onClose)
  return (
    <NewRecordForm<TagColor | null>
      name={{ label: words.name, help: words.nameHelp, maxLength: 60 }}
      first={null}
      verb={words.create}
      creating={creating}
      onCreate={({ draft: color, ...given }, options) => creating.mutate({ color, ...given }, options)}
      onClose={onClose}
      className={styles.form}
    >
      {(color, change) => <ColorField value={color} onChange={change} />}
    </NewRecordForm>
  )
}

const colorOf = ({ color }: ShownTag): TagColor | null => color

/** `tag` is the record as it was read last. */
export function EditTag({ tag, onClose }: Props & Readonly<{ tag: ShownTag }>) {
  const { ui } = useWords()
  const saving = useEditTag(tag.id, onClose)
  const edited = useEdited({ record: tag, draftOf: colorOf, saving })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    edited.save()
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <p>
        <TagBadge tag={{ ...tag, color: edited.draft }} />
      </p>
      <ColorField value={edited.draft} onChange={edited.change} />
      {edited.error && <Problem error={edited.error} />}
      {edited.conflict && (
        <ChangedMeanwhile problem={edited.conflict} onTake={edited.takeTheirs} onKeep={edited.keepMine}>
          <TagBadge tag={tag} />
        </ChangedMeanwhile>
      )}
      <FormButtons verb={ui.save} pending={saving.isPending} disabled={edited.isSaved || edited.conflict !== null} onClose={onClose} />
    </form>
  )
}
