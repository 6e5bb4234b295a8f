import type { Chosen } from './check-chosen.ts'

/** A folder that is dropped is looked into so far. */
const DEEPEST = 3
const MOST_FILES = 1_000

/** The files that were dropped, and those of folders. The list must be read before the event is over. */
export function droppedFiles(items: DataTransferItemList): Promise<readonly Chosen[]> {
  const dropped = [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  return (async () => {
    const found: Chosen[] = []
    for (const { entry, file } of dropped) {
      if (entry?.isDirectory) await addFiles(entry as FileSystemDirectoryEntry, found)
      else if (file !== null) found.push({ path: file.name, file })
    }
    return found
  })()
}

async function addFiles(folder: FileSystemDirectoryEntry, found: Chosen[], depth = 1): Promise<void> {
  const reader = folder.createReader()
  // A browser answers a hundred at a time.
  for (let seen = 0; seen < MOST_FILES; ) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return
    seen += entries.length
    for (const entry of entries) {
      if (entry.isDirectory && depth < DEEPEST) await addFiles(entry as FileSystemDirectoryEntry, found, depth + 1)
      if (entry.isFile && found.length < MOST_FILES)
        found.push({
          path: entry.fullPath,
          file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
        })
    }
  }
}

/** The files of a field, which has folders by their paths. */
export function chosenFiles(files: readonly File[]): readonly Chosen[] {
  return files.map((file) => ({ path: file.webkitRelativePath || file.name, file }))
}
