/* cuzk/main.c - the command `cuzk`.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "common/cli.h"

int main(int argc, char **argv)
{
    return (int)cli_main(argc, argv);
}
