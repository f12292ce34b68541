#pragma once

#include <memory>

#include "cli/words/command.h"

namespace strata::cli {

// A new command is a declaration and a row here, and a file cmd_NAME.cpp in the room of its op: the
// rooms are those of core/ops, and program/ has what is about the program itself.
std::unique_ptr<Command> makeInit();
std::unique_ptr<Command> makeImport();
std::unique_ptr<Command> makeAdd();
std::unique_ptr<Command> makeList();
std::unique_ptr<Command> makeLog();
std::unique_ptr<Command> makeShow();
std::unique_ptr<Command> makeDu();
std::unique_ptr<Command> makeDiff();
std::unique_ptr<Command> makeRestore();
std::unique_ptr<Command> makeCat();
std::unique_ptr<Command> makeSnapshot();
std::unique_ptr<Command> makeWatch();
std::unique_ptr<Command> makeRunList();
std::unique_ptr<Command> makeResume();
std::unique_ptr<Command> makeVerify();
std::unique_ptr<Command> makeRecode();
std::unique_ptr<Command> makeRename();
std::unique_ptr<Command> makeRemove();
std::unique_ptr<Command> makePrune();
std::unique_ptr<Command> makeUndo();
std::unique_ptr<Command> makeRedo();
std::unique_ptr<Command> makeHistory();
std::unique_ptr<Command> makeGc();
std::unique_ptr<Command> makeTrashList();
std::unique_ptr<Command> makeTrashRestore();
std::unique_ptr<Command> makeTrashEmpty();
std::unique_ptr<Command> makeTag();
std::unique_ptr<Command> makeTagList();
std::unique_ptr<Command> makeTagRemove();
std::unique_ptr<Command> makeNote();
std::unique_ptr<Command> makeSource();
std::unique_ptr<Command> makeServe();
std::unique_ptr<Command> makeLfsAgent();
std::unique_ptr<Command> makeRemoteAdd();
std::unique_ptr<Command> makeRemoteList();
std::unique_ptr<Command> makeRemoteShow();
std::unique_ptr<Command> makeRemoteVerify();
std::unique_ptr<Command> makeRemoteGc();
std::unique_ptr<Command> makeRemoteSet();
std::unique_ptr<Command> makeRemoteRename();
std::unique_ptr<Command> makeRemoteRemove();
std::unique_ptr<Command> makePush();
std::unique_ptr<Command> makePull();
std::unique_ptr<Command> makeFetch();
std::unique_ptr<Command> makeSearch();
std::unique_ptr<Command> makeClone();
std::unique_ptr<Command> makeTransferList();
std::unique_ptr<Command> makeTransferResume();
std::unique_ptr<Command> makeTransferRemove();
std::unique_ptr<Command> makeBundleCreate();
std::unique_ptr<Command> makeBundleImport();
std::unique_ptr<Command> makeAuthLogin();
std::unique_ptr<Command> makeAuthLogout();
std::unique_ptr<Command> makeAuthStatus();
std::unique_ptr<Command> makeProfileList();
std::unique_ptr<Command> makeProfileShow();
std::unique_ptr<Command> makeProfileSave();
std::unique_ptr<Command> makeProfileImport();
std::unique_ptr<Command> makeProfileRemove();
std::unique_ptr<Command> makeTune();
std::unique_ptr<Command> makeConfigGet();
std::unique_ptr<Command> makeConfigSet();
std::unique_ptr<Command> makeConfigUnset();
std::unique_ptr<Command> makeConfigList();
std::unique_ptr<Command> makeConfigEdit();
std::unique_ptr<Command> makeConfigPath();
std::unique_ptr<Command> makeConfigTrust();
std::unique_ptr<Command> makeBench();
std::unique_ptr<Command> makeInfo();
std::unique_ptr<Command> makeMan();
std::unique_ptr<Command> makeCompletion();

/// All commands, in the order of the help screen.
inline constexpr CommandRow kCommands[] = {
    {"init", makeInit},
    {"import", makeImport},
    {"add", makeAdd},
    {"list", makeList},
    {"log", makeLog},
    {"show", makeShow},
    {"du", makeDu},
    {"diff", makeDiff},
    {"restore", makeRestore},
    {"cat", makeCat},
    {"snapshot", makeSnapshot},
    {"watch", makeWatch},
    {"run list", makeRunList},
    {"resume", makeResume},
    {"verify", makeVerify},
    {"recode", makeRecode},
    {"rename", makeRename},
    {"remove", makeRemove},
    {"prune", makePrune},
    {"undo", makeUndo},
    {"redo", makeRedo},
    {"history", makeHistory},
    {"gc", makeGc},
    {"trash list", makeTrashList},
    {"trash restore", makeTrashRestore},
    {"trash empty", makeTrashEmpty},
    {"tag", makeTag},
    {"tag list", makeTagList},
    {"tag remove", makeTagRemove},
    {"note", makeNote},
    {"source", makeSource},
    {"serve", makeServe},
    {"lfs-agent", makeLfsAgent},
    {"remote add", makeRemoteAdd},
    {"remote list", makeRemoteList},
    {"remote show", makeRemoteShow},
    {"remote verify", makeRemoteVerify},
    {"remote gc", makeRemoteGc},
    {"remote set", makeRemoteSet},
    {"remote rename", makeRemoteRename},
    {"remote remove", makeRemoteRemove},
    {"push", makePush},
    {"pull", makePull},
    {"fetch", makeFetch},
    {"search", makeSearch},
    {"clone", makeClone},
    {"transfer list", makeTransferList},
    {"transfer resume", makeTransferResume},
    {"transfer remove", makeTransferRemove},
    {"bundle create", makeBundleCreate},
    {"bundle import", makeBundleImport},
    {"auth login", makeAuthLogin},
    {"auth logout", makeAuthLogout},
    {"auth status", makeAuthStatus},
    {"profile list", makeProfileList},
    {"profile show", makeProfileShow},
    {"profile save", makeProfileSave},
    {"profile import", makeProfileImport},
    {"profile remove", makeProfileRemove},
    {"tune", makeTune},
    {"config get", makeConfigGet},
    {"config set", makeConfigSet},
    {"config unset", makeConfigUnset},
    {"config list", makeConfigList},
    {"config edit", makeConfigEdit},
    {"config path", makeConfigPath},
    {"config trust", makeConfigTrust},
    {"bench", makeBench},
    {"info", makeInfo},
    {"man", makeMan},
    {"completion", makeCompletion},
};

}  // namespace strata::cli
