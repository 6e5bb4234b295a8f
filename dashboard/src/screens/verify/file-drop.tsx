import { Button, FileButton } from '@mantine/core'
import { type DragEvent, type ReactNode, useId, useState } from 'react'
import { useWords } from '../../words/words.tsx'
import type { Chosen } from './check-chosen.ts'
import { chosenFiles, droppedFiles } from './dropped.ts'
import styles from './verify.module.css'

type Props = Readonly<{
  label: string
  help: string
  chosen: readonly Chosen[]
  onChosen: (chosen: readonly Chosen[]) => void
  /** The buttons that open a dialog of files, by what they offer. */
  buttons: readonly Readonly<{ text: string; isFolder?: boolean }>[]
}>

/** A place to drop files on, with buttons for those who drag nothing. */
export function FileDrop({ label, help, chosen, onChosen, buttons }: Props) {
  const { verify: words } = useWords()
  const [isOver, setOver] = useState(false)
  const id = useId()
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    // A folder that cannot be read has no files.
    void droppedFiles(event.dataTransfer.items).then(onChosen, () => onChosen([]))
  }
  return (
    <section
      aria-labelledby={id}
      className={styles.drop}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2 id={id} className={styles.label}>
        {label}
      </h2>
      <p className={styles.help}>{help}</p>
      <div className={styles.buttons}>
        {buttons.map(({ text, isFolder = false }) => (
          <FileButton
            key={text}
            multiple
            onChange={(files) => onChosen(chosenFiles(files))}
            inputProps={{ 'aria-label': text, ...(isFolder && { webkitdirectory: '' }) } as object}
          >
            {(props) => (
              <Button {...props} variant="default">
                {text}
              </Button>
            )}
          </FileButton>
        ))}
        {chosen.length > 0 && (
          <Button variant="subtle" onClick={() => onChosen([])}>
            {words.remove}
          </Button>
        )}
      </div>
      {chosen[0] && <Named>{nameOf(chosen[0], chosen.length)}</Named>}
    </section>
  )
}

const Named = ({ children }: Readonly<{ children: ReactNode }>) => (
  <p className={styles.named}>
    <bdi>{children}</bdi>
  </p>
)

/** The folder, or the file and how many are with it. */
function nameOf({ path }: Chosen, count: number): string {
  const [folder = ''] = path.replace(/^\//, '').split('/')
  return count > 1 && folder === path ? `${path} + ${count - 1}` : folder
}
