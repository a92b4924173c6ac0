import { group } from '../../command.js';
import { pluginInit } from './plugin-init.js';
import { pluginInstall } from './plugin-install.js';
import { pluginList } from './plugin-list.js';
import { pluginLogs } from './plugin-logs.js';
import { pluginRemove } from './plugin-remove.js';
import { pluginDisable, pluginEnable } from './plugin-switch.js';
import { pluginUninstall } from './plugin-uninstall.js';

export const define = group(
  {
    init: pluginInit,
    install: pluginInstall,
    list: pluginList,
    logs: pluginLogs,
    enable: pluginEnable,
    disable: pluginDisable,
    uninstall: pluginUninstall,
    remove: pluginRemove,
  },
  [
    'xsvc plugin init note',
    'xsvc plugin list',
    'xsvc plugin disable person',
    'xsvc plugin uninstall person --export ./persons --yes',
  ],
);
