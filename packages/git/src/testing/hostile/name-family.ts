/** Names that git would write somewhere else than it says. For tests. */
import { changeAtRoot } from '../fixture-repository.ts';
import { blob, file, folder, tree } from '../object-writer.ts';
import { payload, type HostileBundle } from './hostile-bundle.ts';

function withName(name: string | Buffer, entry: 'file' | 'folder' = 'file'): HostileBundle {
  const inner = tree([file('x', payload)]);
  return {
    name: `path ${JSON.stringify(name.toString())}`,
    reason: 'pack_refused',
    make: () =>
      entry === 'file'
        ? changeAtRoot([file(name, payload)], [payload])
        : changeAtRoot([folder(name, inner)], [payload, inner]),
  };
}

function withModules(name: string, text: string): HostileBundle {
  const modules = blob(text);
  return {
    name: `.gitmodules ${name}`,
    reason: 'pack_refused',
    make: () => changeAtRoot([file('.gitmodules', modules)], [modules]),
  };
}

export const NAME_FAMILY: readonly HostileBundle[] = [
  withName('.git', 'folder'),
  withName('.GIT', 'folder'),
  withName('git~1', 'folder'),
  withName('.g\u200cit', 'folder'),
  withName('.git ', 'folder'),
  withName('.git::$INDEX_ALLOCATION', 'folder'),
  withName('.git'),
  withName('..', 'folder'),
  withName('.', 'folder'),
  withName('a/b'),
  withName(''),
  {
    name: 'path that is not UTF-8',
    reason: 'path_not_utf8',
    make: () => changeAtRoot([file(Buffer.from([0x66, 0xff, 0xfe]), payload)], [payload]),
  },
  withModules('with an option as its url', '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'),
  withModules(
    'with an option as its path',
    '[submodule "x"]\n\tpath = --x\n\turl = https://example.com/x\n',
  ),
  withModules(
    'with a command as its update',
    '[submodule "x"]\n\tpath = x\n\turl = https://example.com/x\n\tupdate = !id\n',
  ),
  withModules(
    'with a path as its name',
    '[submodule "../../hooks"]\n\tpath = x\n\turl = https://example.com/x\n',
  ),
  {
    name: '.gitmodules as a symbolic link',
    reason: 'pack_refused',
    make: () => changeAtRoot([file('.gitmodules', payload, '120000')], [payload]),
  },
  {
    name: '.gitattributes as a symbolic link',
    reason: 'pack_refused',
    make: () => changeAtRoot([file('.gitattributes', payload, '120000')], [payload]),
  },
];
